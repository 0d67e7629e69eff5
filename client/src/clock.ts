// The time of a page: play, pause, speed, loop.

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Clock {
  t: number;
  speed = 1;
  loop = true;
  playing = false;
  private last = 0;
  private frame = 0;
  private listeners: (() => void)[] = [];

  constructor(
    readonly start: number,
    readonly end: number,
  ) {
    this.t = start;
  }

  /** Called after every change of time or state. */
  watch(listener: () => void): void {
    this.listeners.push(listener);
  }

  seek(t: number): void {
    this.t = Math.min(Math.max(t, this.start), this.end);
    this.tell();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.playing || this.end <= this.start) return;
    if (this.t >= this.end) this.t = this.start;
    this.playing = true;
    this.last = performance.now();
    this.frame = requestAnimationFrame(this.tick);
    this.tell();
  }

  pause(): void {
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.tell();
  }

  faster(steps: number): void {
    const nearest = SPEEDS.reduce((a, b) => (Math.abs(b - this.speed) < Math.abs(a - this.speed) ? b : a));
    const k = Math.min(Math.max(SPEEDS.indexOf(nearest) + steps, 0), SPEEDS.length - 1);
    this.speed = SPEEDS[k];
    this.tell();
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.playing = false;
    this.listeners = [];
  }

  private tick = (now: number): void => {
    if (!this.playing) return;
    this.t += ((now - this.last) / 1000) * this.speed;
    this.last = now;
    if (this.t >= this.end) {
      if (this.loop) this.t = this.start + ((this.t - this.start) % (this.end - this.start));
      else {
        this.t = this.end;
        this.playing = false;
      }
    }
    this.tell();
    if (this.playing) this.frame = requestAnimationFrame(this.tick);
  };

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

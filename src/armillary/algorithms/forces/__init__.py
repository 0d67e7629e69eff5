"""What force elements do to the bodies of a mechanism."""

// Pinocchio from C++.  Reads joints, a state, then requests "function repeats" from stdin;
// answers each with seconds per call and the norm of the result.
#include <ctime>
#include <iostream>
#include <stdexcept>
#include <string>

#include <pinocchio/multibody.hpp>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>

using namespace pinocchio;

static Eigen::VectorXd numbers(int count) {
  Eigen::VectorXd x(count);
  for (int k = 0; k < count; ++k) std::cin >> x[k];
  return x;
}

static JointModel joint(const std::string& kind) {
  if (kind == "JointModelRX") return JointModelRX();
  if (kind == "JointModelRY") return JointModelRY();
  if (kind == "JointModelRZ") return JointModelRZ();
  if (kind == "JointModelFreeFlyer") return JointModelFreeFlyer();
  throw std::invalid_argument("joint type " + kind);
}

// parent, kind, rotation by rows, position, ten inertial parameters
static void add_joint(Model& model) {
  JointIndex parent;
  std::string kind;
  std::cin >> parent >> kind;
  const Eigen::VectorXd R = numbers(9), p = numbers(3), inertia = numbers(10);
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> rotation(R.data());
  const std::string name = "joint" + std::to_string(model.njoints);
  const JointIndex k = model.addJoint(parent, joint(kind), SE3(rotation, p), name);
  model.appendBodyToJoint(k, Inertia::FromDynamicParameters(inertia));
}

static double processor_time() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Call>
static double seconds(long repeats, Call call) {
  const double began = processor_time();
  for (long k = 0; k < repeats; ++k) call();
  return (processor_time() - began) / static_cast<double>(repeats);
}

int main() {
  Model model;
  int joints = 0;
  for (std::cin >> joints; joints > 0; --joints) add_joint(model);
  Data data(model);
  const Eigen::VectorXd q = numbers(model.nq), v = numbers(model.nv), x = numbers(model.nv);
  std::cout.precision(17);
  std::string what;
  long repeats = 0;
  while (std::cin >> what >> repeats) {
    double time = 0, norm = 0;
    if (what == "rnea") {
      time = seconds(repeats, [&] { rnea(model, data, q, v, x); });
      norm = data.tau.norm();
    } else if (what == "aba") {
      time = seconds(repeats, [&] { aba(model, data, q, v, x, Convention::LOCAL); });
      norm = data.ddq.norm();
    } else if (what == "crba") {
      time = seconds(repeats, [&] { crba(model, data, q, Convention::LOCAL); });
      norm = data.M.diagonal().norm();
    } else {
      time = seconds(repeats, [&] { computeABADerivatives(model, data, q, v, x); });
      norm = data.ddq_dq.norm();
    }
    std::cout << time << " " << norm << std::endl;
  }
}

// Stacks of processors and threads that had nothing to do, by a frame that only such stacks have.

/** Names of frames, whole: as selectors of the server match them, and as the worker does. */
export const IDLE_FRAME =
  '\\(idle\\)|swapper|do_idle|.*cpuidle.*|cpu_idle.*|cpu_bringup_and_idle|default_idle.*|intel_idle.*|mwait_idle.*|' +
  'native_safe_halt|xen_hypercall_(sched|vcpu)_op'

// Functions in which a thread waits: system calls, their wrappers in C libraries and runtimes, and kernel functions below them.

export interface LeafFrame {
  readonly name: string
  /** The source file; empty or missing if it is unknown. */
  readonly file?: string
  /** `profile.frame.type`; empty or missing if it is unknown. */
  readonly type?: string
}

/** Names without decoration that mean a wait in every language. */
const NAMES: ReadonlySet<string> = new Set(
  [
    // Linux and the C libraries.
    'epoll_wait epoll_pwait epoll_pwait2 ppoll pselect pselect6 io_getevents io_uring_enter',
    'futex futex_wait futex_wait_queue futex_wait_queue_me futex_abstimed_wait_common futex_abstimed_wait_cancelable64',
    'lll_lock_wait lll_lock_wait_private pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait pthread_join',
    'new_sem_wait sem_wait sem_timedwait do_futex_wait syscall_cancel_arch nanosleep clock_nanosleep usleep',
    'sigwait sigwaitinfo sigtimedwait sigsuspend wait4 waitpid waitid accept4 recvfrom recvmsg recvmmsg',
    // The Linux kernel.
    'schedule schedule_timeout schedule_hrtimeout_range schedule_hrtimeout_range_clock schedule_preempt_disabled',
    'io_schedule do_nanosleep hrtimer_nanosleep ep_poll do_epoll_wait do_sys_poll do_select poll_schedule_timeout',
    'do_wait pipe_wait wait_woken unix_stream_data_wait sk_wait_data',
    // macOS and BSD.
    'kevent kevent64 kevent_qos mach_msg_trap mach_msg2_trap psynch_cvwait psynch_mutexwait ulock_wait ulock_wait2',
    'semaphore_wait_trap semaphore_timedwait_trap semwait_signal workq_kernreturn',
    // Windows.
    'NtWaitForSingleObject ZwWaitForSingleObject NtWaitForMultipleObjects ZwWaitForMultipleObjects',
    'WaitForSingleObject WaitForSingleObjectEx WaitForMultipleObjects WaitForMultipleObjectsEx NtDelayExecution',
    'NtRemoveIoCompletion NtRemoveIoCompletionEx ZwRemoveIoCompletionEx GetQueuedCompletionStatus SleepEx',
    'GetQueuedCompletionStatusEx NtWaitForWorkViaWorkerFactory SleepConditionVariableSRW NtWaitForAlertByThreadId',
    // libuv, the event loop of Node.
    'uv__io_poll uv_cond_wait uv_cond_timedwait uv_sem_wait',
  ]
    .join(' ')
    .split(' '),
)

/** Names that programs use for other things as well. They count only in native code without a known script as source. */
const NATIVE_NAMES: ReadonlySet<string> = new Set(['poll', 'select', 'sleep', 'wait', 'accept', 'recv', 'pause'])

/** Complete names, with the class or package. */
const QUALIFIED =
  /^(?:runtime\.(?:gopark|goparkunlock|park_m|futex|futexsleep|notesleep|notetsleep\w*|epollwait|kevent|netpoll|usleep|semasleep|stopm|findRunnable)|internal\/runtime\/syscall\.EpollWait|time\.Sleep|sync\.runtime_\w+|internal\/poll\.runtime_pollWait|(?:sun|jdk\.internal)\.misc\.Unsafe\.park|java\.lang\.Object\.wait0?|java\.lang\.Thread\.sleep(?:0|Nanos0?)?|java\.lang\.(?:VirtualThread|Thread)\.(?:park|yield0|join)\w*|sun\.nio\.ch\.(?:EPoll|KQueue|WEPoll)\.(?:wait|poll)|sun\.nio\.ch\.EPollArrayWrapper\.epollWait|sun\.nio\.ch\.(?:Net|UnixDomainSockets|ServerSocketChannelImpl)\.(?:poll|accept)\w*|java\.net\.(?:SocketInputStream\.socketRead0|PlainSocketImpl\.socketAccept)|std::thread::(?:park|sleep)\w*|std::this_thread::sleep_\w+|std::sys::.*::futex::futex_wait|parking_lot.*::park|core::.*::futex_wait|Atomics\.wait|(?:Kernel|Thread|Mutex|Queue|IO|ConditionVariable)[#.](?:sleep|join|pop|select|wait\w*)|System\.Threading\.(?:Thread\.(?:Sleep|Join)|Monitor\.Wait|WaitHandle\.Wait)\w*|.*LowLevelLifoSemaphore\.WaitNative)(?:\(.*\))?$/

/** Python's waits are C functions, so the leaf is the function of the standard library that calls them. */
const PYTHON_WAITS: readonly (readonly [file: RegExp, names: RegExp])[] = [
  [/(?:^|[/\\])selectors\.py$/, /^(?:\w+\.)?(?:select|poll)$/],
  [/(?:^|[/\\])threading\.py$/, /^(?:\w+\.)?(?:wait|_wait_for_tstate_lock|join|acquire)$/],
  [/(?:^|[/\\])socket\.py$/, /^(?:\w+\.)?(?:accept|readinto)$/],
  [/(?:^|[/\\])queue\.py$/, /^(?:\w+\.)?get$/],
]

/** `__GI___poll@@GLIBC_2.2.5`, `[k] schedule`, `epoll_wait.isra.0` without what compilers, libraries and tools add. */
const DECORATED =
  /^(?:\[\w\] )?(?:__GI_)?_*(?:x64_sys_|arm64_sys_|se_sys_|sys_|libc_)?(\w+?)(?:_nocancel)?(?:@.*|\.\w+(?:\.\d+)*)?(?:\(.*\))?$/

const SCRIPT_FILE = /\.(?:[cm]?[jt]sx?|py|rb|php|java|kt|scala|go|cs|lua|pl|vue|svelte)$/

export function isWaitFunction({ name, file = '', type = '' }: LeafFrame): boolean {
  if (QUALIFIED.test(name)) return true
  if (PYTHON_WAITS.some(([path, names]) => path.test(file) && names.test(name))) return true
  const plain = DECORATED.exec(name)?.[1]
  if (plain === undefined) return false
  if (NAMES.has(plain)) return true
  return NATIVE_NAMES.has(plain) && (type === '' || type === 'native' || type === 'kernel') && !SCRIPT_FILE.test(file)
}

const POLL_MS = 500;

/**
 * Calls `onGone` once when the npm that runs this script is gone. npm passes SIGTERM to the shell that it started, and the
 * shell dies of it without passing it on; the only sign left is another parent.
 */
export function whenNpmIsGone(onGone: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    onGone();
  }, POLL_MS);
  timer.unref();
}

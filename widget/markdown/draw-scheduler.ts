/**
 * Draws what has arrived once a frame, for all answers of a page together, within a budget of time. `requestAnimationFrame` does not fire
 * in a hidden tab or an occluded frame, so a timer stands beside it and whichever comes first draws. Touches nothing of the page when it
 * is imported.
 */

/** Something that draws what it was given. */
export interface Drawable {
  /** Draws until `deadlineMs` (by `performance.now()`) at least one step; returns whether something is left to draw. */
  drawUntil(deadlineMs: number): boolean;
}

/** What one frame may spend: half of a 60 Hz frame on the reference machine still leaves a slow phone under 50 ms. */
const frameBudgetMs = 6;
/** When no frame came for this long, the tab is taken for hidden. */
const hiddenDelayMs = 120;

const waiting = new Set<Drawable>();
let frame: number | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Draws `drawable` in the next frame. Asking again before that changes nothing. */
export function requestDraw(drawable: Drawable): void {
  waiting.add(drawable);
  if (timer !== undefined) return;
  frame = requestAnimationFrame(drawWaiting);
  timer = setTimeout(drawWaiting, hiddenDelayMs);
}

/** `drawable` is not drawn any more until it is asked for again. */
export function cancelDraw(drawable: Drawable): void {
  waiting.delete(drawable);
  if (waiting.size === 0) unschedule();
}

function unschedule(): void {
  if (frame !== undefined) cancelAnimationFrame(frame);
  clearTimeout(timer);
  frame = timer = undefined;
}

function drawWaiting(): void {
  unschedule();
  const deadlineMs = performance.now() + frameBudgetMs;
  for (const drawable of [...waiting]) {
    waiting.delete(drawable);
    if (drawable.drawUntil(deadlineMs)) requestDraw(drawable);
  }
}

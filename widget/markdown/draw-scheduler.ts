/**
 * Draws what has arrived once a frame, for all answers of a page together, within a budget of time. By a timer, not by
 * `requestAnimationFrame`: that does not fire in a hidden tab or a frame out of sight, and asking for it costs as much as a short drawing.
 * Touches nothing of the page when it is imported.
 */

/** Something that draws what it was given. */
export interface Drawable {
  /** Draws until `deadlineMs` (by `performance.now()`) at least one step; returns whether something is left to draw. */
  drawUntil(deadlineMs: number): boolean;
}

const frameMs = 1000 / 60;
/** What one frame may spend on reading and building: a phone that is four times slower stays under 50 ms with its layout. */
const budgetMs = 5;

const waiting = new Set<Drawable>();
let timer: ReturnType<typeof setTimeout> | undefined;
let lastMs = 0;

/** Draws `drawable` soon: one frame after the last drawing, at once when that is long ago. Asking again before that changes nothing. */
export function requestDraw(drawable: Drawable): void {
  waiting.add(drawable);
  timer ??= setTimeout(drawWaiting, lastMs + frameMs - performance.now());
}

/** `drawable` is not drawn any more until it is asked for again. */
export function cancelDraw(drawable: Drawable): void {
  waiting.delete(drawable);
}

function drawWaiting(): void {
  timer = undefined;
  lastMs = performance.now();
  for (const drawable of [...waiting]) {
    waiting.delete(drawable);
    if (drawable.drawUntil(lastMs + budgetMs)) requestDraw(drawable);
  }
}

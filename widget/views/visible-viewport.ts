/**
 * Tells a covering panel how much of the window is visible above an on-screen keyboard: iOS lays the keyboard over the page
 * and pushes fixed elements out of sight. Sets `--_view-top` and `--_view-height` on `root`.
 */
export class VisibleViewport implements EventListenerObject {
  readonly #root: HTMLElement;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  connect(): void {
    window.visualViewport?.addEventListener('resize', this);
    window.visualViewport?.addEventListener('scroll', this);
    this.handleEvent();
  }

  disconnect(): void {
    window.visualViewport?.removeEventListener('resize', this);
    window.visualViewport?.removeEventListener('scroll', this);
  }

  handleEvent(): void {
    const view = window.visualViewport;
    // A page that is zoomed in by the reader is not a page with a keyboard.
    if (!view || view.scale > 1.01) return;
    this.#root.style.setProperty('--_view-top', `${view.offsetTop}px`);
    this.#root.style.setProperty('--_view-height', `${view.height}px`);
  }
}

/** Distance from the end, in CSS pixels, at which a reader counts as being there. */
const END_TOLERANCE_PX = 24;

/**
 * Keeps a reader's place. At the end of the transcript it follows what is written; anywhere else the line that he reads stays
 * where it is, whatever grows, shrinks or is put in above it. The reader leaves the end by scrolling up and is followed again
 * when he comes back to it; nothing else changes what he chose.
 *
 * The browser's own scroll anchoring is switched off in the style sheet: Safari has none, and two keepers would correct twice.
 */
export class ScrollKeeper {
  readonly #scroller: HTMLElement;
  readonly #content: HTMLElement;
  readonly #changed: () => void;
  readonly #sizes: ResizeObserver;
  #isFollowing = true;
  #lastTop = 0;
  #anchor: { readonly element: Element; readonly offset: number } | undefined;

  /** `content` is the only thing that gives `scroller` its height. `changed` is called when `isAway` changes. */
  constructor(scroller: HTMLElement, content: HTMLElement, changed: () => void) {
    this.#scroller = scroller;
    this.#content = content;
    this.#changed = changed;
    this.#sizes = new ResizeObserver(() => this.#settle());
    scroller.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    content.addEventListener('click', (event) => this.#onClick(event));
    scroller.addEventListener('wheel', (event) => this.#onWheel(event), { passive: true });
  }

  /** True while the reader is not at the end, so that the newest message may be out of sight. */
  get isAway(): boolean {
    return !this.#isFollowing;
  }

  connect(): void {
    this.#sizes.observe(this.#scroller);
    this.#sizes.observe(this.#content);
  }

  disconnect(): void {
    this.#sizes.disconnect();
  }

  toEnd(): void {
    this.#follow(true);
    this.#settle();
  }

  /** Called before the layout changes are painted: a resize observer runs between layout and paint. */
  #settle(): void {
    const scroller = this.#scroller;
    if (scroller.clientHeight === 0) return;
    if (scroller.scrollHeight <= scroller.clientHeight) this.#follow(true);
    if (this.#isFollowing) scroller.scrollTop = scroller.scrollHeight;
    else if (this.#anchor?.element.isConnected) {
      const moved = this.#offsetOf(this.#anchor.element) - this.#anchor.offset;
      if (moved !== 0) scroller.scrollTop += moved;
    }
    this.#lastTop = scroller.scrollTop;
  }

  #onScroll(): void {
    const scroller = this.#scroller;
    if (scroller.clientHeight === 0) return;
    const top = scroller.scrollTop;
    // Our own correction: to take the place anew would add up what the browser rounds.
    if (top === this.#lastTop) return;
    const leftBelow = scroller.scrollHeight - scroller.clientHeight - top;
    if (top < this.#lastTop && leftBelow > 1) this.#follow(false);
    else if (top > this.#lastTop && leftBelow <= END_TOLERANCE_PX) this.#follow(true);
    this.#lastTop = top;
    if (!this.#isFollowing) this.#rememberPlace();
  }

  /** A smooth scroll upwards begins with steps so small that following the text would undo them: the wish alone counts. */
  #onWheel(event: WheelEvent): void {
    if (event.deltaY < 0 && this.#scroller.scrollTop > 0) {
      this.#follow(false);
      this.#rememberPlace();
    }
  }

  /** What a reader unfolds must stay under his eyes. */
  #onClick(event: Event): void {
    const summary = (event.target as Element).closest('summary');
    if (!summary) return;
    this.#follow(false);
    this.#anchor = { element: summary, offset: this.#offsetOf(summary) };
  }

  #follow(isFollowing: boolean): void {
    if (this.#isFollowing === isFollowing) return;
    this.#isFollowing = isFollowing;
    this.#changed();
  }

  /** The innermost element at the upper edge of what is visible is the one that must not move. */
  #rememberPlace(): void {
    let element: Element | undefined;
    let inside: Element | undefined = this.#content;
    while (inside) {
      element = inside;
      inside = this.#firstVisibleChild(inside);
    }
    this.#anchor = element && { element, offset: this.#offsetOf(element) };
  }

  #firstVisibleChild(parent: Element): Element | undefined {
    const edge = this.#scroller.getBoundingClientRect().top;
    const children = parent.children;
    // Children stand below one another, so that halving finds the first one that ends below the edge.
    let low = 0;
    let high = children.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((children[middle] as Element).getBoundingClientRect().bottom > edge) high = middle;
      else low = middle + 1;
    }
    const child = children[low];
    return child && child.getBoundingClientRect().height > 0 ? child : undefined;
  }

  #offsetOf(element: Element): number {
    return element.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top;
  }
}

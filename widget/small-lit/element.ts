/** A custom element with reactive properties, as Lit's `LitElement` is one. */
import { render } from './templates.ts';

interface PropertyOptions {
  /** The attribute's name; absent: the property's in small letters. False: there is none. */
  readonly attribute?: string | false;
  /** `Boolean`: the attribute is there or not. Absent: the value is its text. */
  readonly type?: unknown;
  readonly reflect?: boolean;
  readonly converter?: { readonly fromAttribute: (text: string | null) => unknown };
}

interface Controller {
  hostConnected?(): void;
  hostDisconnected?(): void;
}

export class LitElement extends HTMLElement {
  static properties: Readonly<Record<string, PropertyOptions>> = {};
  static styles: readonly unknown[] = [];
  /** The property of each attribute. */
  static propertyOf: ReadonlyMap<string, string>;
  static sheet: CSSStyleSheet | undefined;

  declare renderRoot: ShadowRoot;
  readonly #values: Record<string, unknown> = {};
  readonly #controllers: Controller[] = [];
  /** What was set before the element was defined; it is set again, over the defaults and the attributes. */
  readonly #early: Record<string, unknown> = {};
  readonly #reflected = new Set<string>();
  /** The property that is being set from its attribute, or written to it. */
  #inTransfer = '';
  #changed = new Map<string, unknown>();
  #isUpdatePending = false;
  #hasUpdated = false;
  #enableUpdating!: (isDone: boolean) => void;
  /** The first update waits for the element's first connection, every other one for the one before. */
  #updateComplete = new Promise<boolean>((resolve) => {
    this.#enableUpdating = resolve;
  });

  /** The browser asks once, when the element is defined. */
  static get observedAttributes(): readonly string[] {
    // biome-ignore lint/complexity/noThisInStatic: it is the class that extends this one.
    return LitElement.#defineProperties(this);
  }

  static #defineProperties(elementClass: typeof LitElement): readonly string[] {
    const propertyOf = new Map<string, string>();
    for (const [property, { attribute = property.toLowerCase() }] of Object.entries(elementClass.properties)) {
      if (attribute) propertyOf.set(attribute, property);
      Object.defineProperty(elementClass.prototype, property, {
        get(this: LitElement) {
          return this.#values[property];
        },
        set(this: LitElement, value: unknown) {
          const old = this.#values[property];
          this.#values[property] = value;
          this.requestUpdate(property, old);
        },
      });
    }
    elementClass.propertyOf = propertyOf;
    return [...propertyOf.keys()];
  }

  constructor() {
    super();
    const own = this as Record<string, unknown>;
    for (const property of Object.keys(this.#class.properties)) {
      if (!Object.hasOwn(own, property)) continue;
      this.#early[property] = own[property];
      delete own[property];
    }
    this.requestUpdate();
  }

  /** True when no other update was asked for meanwhile. Rejects with what an update throws. */
  get updateComplete(): Promise<boolean> {
    return this.#updateComplete;
  }

  addController(controller: Controller): void {
    this.#controllers.push(controller);
  }

  /** With a property's name: only when its value is another one than `old`. */
  requestUpdate(property?: string, old?: unknown): void {
    if (property !== undefined) {
      if (Object.is(old, this.#values[property])) return;
      if (!this.#changed.has(property)) this.#changed.set(property, this.#hasUpdated ? old : undefined);
      if (this.#class.properties[property]?.reflect && this.#inTransfer !== property) this.#reflected.add(property);
    }
    if (!this.#isUpdatePending) this.#updateComplete = this.#updateAfter(this.#updateComplete);
  }

  connectedCallback(): void {
    if (!this.shadowRoot) {
      this.renderRoot = this.attachShadow({ mode: 'open' });
      this.renderRoot.adoptedStyleSheets = [this.#sheet()];
    }
    this.#enableUpdating(true);
    for (const controller of this.#controllers) controller.hostConnected?.();
  }

  disconnectedCallback(): void {
    for (const controller of this.#controllers) controller.hostDisconnected?.();
  }

  attributeChangedCallback(attribute: string, _: string | null, text: string | null): void {
    const property = this.#class.propertyOf.get(attribute) as string;
    if (this.#inTransfer === property) return;
    const { type, converter } = this.#class.properties[property] as PropertyOptions;
    const value = converter ? converter.fromAttribute(text) : type === Boolean ? text !== null : text;
    this.#inTransfer = property;
    Object.assign(this, { [property]: value });
    this.#inTransfer = '';
  }

  protected willUpdate(_changed: ReadonlyMap<string, unknown>): void {}

  protected render(): unknown {
    return undefined;
  }

  protected updated(_changed: ReadonlyMap<string, unknown>): void {}

  get #class(): typeof LitElement {
    return this.constructor as typeof LitElement;
  }

  #sheet(): CSSStyleSheet {
    const ofClass = this.#class;
    if (!ofClass.sheet) {
      ofClass.sheet = new CSSStyleSheet();
      ofClass.sheet.replaceSync(ofClass.styles.flat().join(''));
    }
    return ofClass.sheet;
  }

  async #updateAfter(previous: Promise<boolean>): Promise<boolean> {
    this.#isUpdatePending = true;
    try {
      await previous;
    } catch (error) {
      // Told as one that nobody has handled; it is no reason not to draw what comes now.
      Promise.reject(error);
    }
    this.#update();
    return !this.#isUpdatePending;
  }

  #update(): void {
    if (!this.#hasUpdated) Object.assign(this, this.#early);
    const changed = this.#changed;
    let view: unknown;
    try {
      this.willUpdate(changed);
      view = this.render();
      for (const property of this.#reflected) this.#reflect(property);
    } finally {
      this.#reflected.clear();
      this.#changed = new Map();
      this.#isUpdatePending = false;
    }
    render(view, this.renderRoot, { host: this });
    this.#hasUpdated = true;
    this.updated(changed);
  }

  #reflect(property: string): void {
    const { attribute = property.toLowerCase(), type } = this.#class.properties[property] as PropertyOptions;
    const value = this.#values[property];
    const text = type === Boolean ? value && '' : value;
    this.#inTransfer = property;
    if (text === '' || text) this.setAttribute(attribute as string, String(text));
    else this.removeAttribute(attribute as string);
    this.#inTransfer = '';
  }
}

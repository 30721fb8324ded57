/** What the owner of a view decides about how its markdown is shown. */

/** The visible and spoken words that the renderer adds to an answer; asked for whenever one is drawn. */
export interface MarkdownLabels {
  /** The copy button of a code block, and what it says for a moment after copying. */
  readonly copy: string;
  readonly copied: string;
  /** The name of a task list's ticked and unticked box. */
  readonly taskDone: string;
  readonly taskOpen: string;
}

export interface MarkdownOptions {
  /** Hosts (`example.com`, with a port where it is not the usual one) whose images are shown. All others become links. */
  readonly imageHosts: readonly string[];
  readonly labels: () => MarkdownLabels;
  /** Puts a code block's text on the clipboard. Without it `navigator.clipboard` is used, where the page has one. */
  readonly copyText?: (text: string) => Promise<void>;
  /** Called once for each finished code block that names a language: the place of a highlighter that is loaded later. */
  readonly highlight?: (code: HTMLElement, language: string) => void;
}

import { css } from 'lit';

/**
 * What an owner can set, and what follows from it. Names with `--parley-` are public; `--_` are ours.
 *
 * The page's own rules reach the element itself and, through inheritance, what is in it. `!important` inside a shadow root is
 * stronger than `!important` outside, and `all: initial` on the root stops inheritance; custom properties pass both.
 *
 * Colours of text are held at a contrast of 4.5 whatever accent is set: text on the accent is black or white by the accent's
 * luminance (Y), and accented text is darkened (light) or lightened (dark) until its luminance suits the ground.
 */
export const theme = css`
  :host {
    display: contents !important;
  }
  :host([mode='inline']) {
    display: block !important;
    position: relative !important;
    opacity: 1 !important;
    visibility: visible !important;
    height: 560px;
    min-height: 240px;
  }
  :host([hidden]) {
    display: none !important;
  }
  .root {
    all: initial;
    color-scheme: light dark;
    --_accent: var(--_accent-attribute, var(--parley-accent-color, light-dark(#2f5bd7, #8aa6ff)));
    --_on-accent: var(
      --parley-on-accent-color,
      color(
        from var(--_accent) xyz-d65 clamp(0, (0.179 - y) * 1e6, 0.9505) clamp(0, (0.179 - y) * 1e6, 1)
          clamp(0, (0.179 - y) * 1e6, 1.089)
      )
    );
    --_accent-text: var(
      --parley-link-color,
      light-dark(
        color(from var(--_accent) xyz-d65 calc(x * min(1, 0.15 / y)) calc(y * min(1, 0.15 / y)) calc(z * min(1, 0.15 / y))),
        color(
          from var(--_accent) xyz-d65 calc(x + (0.9505 - x) * max(0, (0.32 - y) / (1 - y)))
            calc(y + (1 - y) * max(0, (0.32 - y) / (1 - y))) calc(z + (1.089 - z) * max(0, (0.32 - y) / (1 - y)))
        )
      )
    );
    --_surface: var(--parley-surface-color, light-dark(#ffffff, #15171c));
    --_raised: var(--parley-raised-color, light-dark(#f4f5f8, #20232a));
    --_text: var(--parley-text-color, light-dark(#16191f, #e9ebf0));
    --_muted: var(--parley-muted-color, light-dark(#5a6372, #a2abb9));
    --_line: var(--parley-border-color, light-dark(#e2e5eb, #30343d));
    --_control-line: var(--parley-control-border-color, light-dark(#868e9c, #717a89));
    --_problem: var(--parley-problem-color, light-dark(#b3261e, #ff9c92));
    --_warning: var(--parley-warning-color, light-dark(#7a5200, #f2c265));
    --_success: var(--parley-success-color, light-dark(#176c3a, #7dd69d));
    --_question: var(--parley-question-background, color-mix(in oklab, var(--_accent) 13%, var(--_surface)));
    --_question-text: var(--parley-question-color, var(--_text));
    --_answer: var(--parley-answer-background, transparent);
    --_answer-text: var(--parley-answer-color, var(--_text));
    --_code: var(--parley-code-background, var(--_raised));
    --_font: var(--parley-font-family, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif);
    --_code-font: var(--parley-code-font-family, ui-monospace, 'SF Mono', Menlo, Consolas, 'Noto Sans Mono', monospace);
    --_size: var(--parley-font-size, 15px);
    --_gap: var(--parley-gap, 16px);
    --_radius: var(--parley-radius, 20px);
    --_bubble-radius: var(--parley-question-radius, 18px);
    --_control-radius: var(--parley-control-radius, 12px);
    --_launcher: var(--parley-launcher-size, 56px);
    --_x: var(--parley-offset-x, 20px);
    --_y: var(--parley-offset-y, 20px);
    --_z: var(--parley-z-index, 9999);
    --_shadow: var(
      --parley-shadow,
      0 0 0 1px light-dark(#10182814, #ffffff1a), 0 8px 24px -6px #10182833, 0 24px 56px -12px #1018284d
    );
    color: var(--_text);
    font: 400 var(--_size) / var(--parley-line-height, 1.55) var(--_font);
    -webkit-text-size-adjust: 100%;
    -webkit-tap-highlight-color: transparent;
    display: contents;
  }
  .light {
    color-scheme: light;
  }
  .dark {
    color-scheme: dark;
  }
  .inline {
    display: block;
    height: 100%;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`;

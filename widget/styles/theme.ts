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
    height: 560px;
    min-height: 240px;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  .root {
    all: initial;
    display: contents;
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
    --_surface: var(--parley-surface-color, light-dark(#fff, #15171c));
    --_raised: var(--parley-raised-color, light-dark(#f4f5f8, #20232a));
    --_text: var(--parley-text-color, light-dark(#16191f, #e9ebf0));
    --_muted: var(--parley-muted-color, light-dark(#5a6372, #a2abb9));
    --_line: var(--parley-border-color, light-dark(#e2e5eb, #30343d));
    --_control-line: var(--parley-control-border-color, light-dark(#868e9c, #717a89));
    --_problem: var(--parley-problem-color, light-dark(#b3261e, #ff9c92));
    --_warning: var(--parley-warning-color, light-dark(#7a5200, #f2c265));
    --_success: var(--parley-success-color, light-dark(#176c3a, #7dd69d));
    --_code: var(--parley-code-background, var(--_raised));
    --_font: var(--parley-font-family, system-ui, 'Segoe UI', Roboto, sans-serif);
    --_code-font: var(--parley-code-font-family, ui-monospace, Menlo, Consolas, monospace);
    --_gap: var(--parley-gap, 16px);
    --_radius: var(--parley-radius, 20px);
    --_control-radius: var(--parley-control-radius, 12px);
    --_content: var(--parley-content-width, 760px);
    --_launcher: var(--parley-launcher-size, 56px);
    --_x: var(--parley-offset-x, 20px);
    --_y: var(--parley-offset-y, 20px);
    --_shadow: var(--parley-shadow, 0 0 0 1px light-dark(#1018280f, #ffffff1a), 0 16px 48px -12px #10182859);
    color: var(--_text);
    font: var(--parley-font-size, 15px) / var(--parley-line-height, 1.55) var(--_font);
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
  ::before,
  ::after {
    box-sizing: border-box;
  }
  .hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`;

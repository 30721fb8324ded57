import { css } from 'lit';

/** What follows from the visitor's device and settings. */
export const media = css`
  @media (prefers-reduced-motion: reduce) {
    * {
      animation: none !important;
      transition: none !important;
    }
  }
  @media (forced-colors: active) {
    .launcher,
    .panel,
    .icon,
    .question .bubble-text,
    .status {
      border: 1px solid;
    }
    .dots i {
      background: CanvasText;
    }
    .filled:disabled {
      color: GrayText;
      border-color: GrayText;
    }
    meter {
      border: 1px solid;
      forced-color-adjust: none;
    }
  }
  @media print {
    .launcher,
    .composer,
    .footer,
    .tools,
    .newest,
    .starters,
    .status,
    .header button {
      display: none !important;
    }
    .root .panel {
      position: static;
      width: auto;
      height: auto;
      max-height: none;
      border: 0;
      box-shadow: none;
      overflow: visible;
    }
    .frame,
    .transcript {
      display: block;
      overflow: visible;
    }
    .entry {
      break-inside: avoid-page;
    }
  }
`;

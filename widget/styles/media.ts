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
    .bubble-text,
    .menu ul,
    dialog {
      border: 1px solid;
    }
    .dots i,
    meter {
      forced-color-adjust: none;
    }
  }
  @media print {
    button,
    .composer,
    .footer,
    .status {
      display: none !important;
    }
    .root > .panel,
    .frame,
    .transcript {
      position: static;
      display: block;
      width: auto;
      height: auto;
      max-height: none;
      overflow: visible;
      box-shadow: none;
    }
  }
`;

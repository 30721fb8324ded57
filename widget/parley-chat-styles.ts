import { markdownStyles } from './markdown/markdown-styles.ts';
import { composer } from './styles/composer.ts';
import { controls } from './styles/controls.ts';
import { media } from './styles/media.ts';
import { panel } from './styles/panel.ts';
import { theme } from './styles/theme.ts';
import { transcript } from './styles/transcript.ts';
import { verification } from './styles/verification.ts';

/** All style sheets of the element, in the order in which they apply. Only constructed sheets: a page's CSP need not allow any style. */
export const parleyChatStyles = [theme, controls, panel, transcript, markdownStyles, composer, verification, media];

/**
 * The name of the launcher in every language. Before the panel is opened the widget loads nothing, so that these words
 * cannot wait for the language's own file; a test holds them against it.
 */
export const LAUNCHER_LABELS: Readonly<Record<string, string>> = {
  de: 'Chat öffnen',
};

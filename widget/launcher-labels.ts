/**
 * The name of the launcher in every language. Before the panel is opened the widget loads nothing, so that these words
 * cannot wait for the language's own file; a test holds them against it.
 */
export const LAUNCHER_LABELS: Readonly<Record<string, string>> = {
  de: 'Chat öffnen',
  fr: 'Ouvrir le chat',
  it: 'Apri la chat',
  es: 'Abrir el chat',
  pt: 'Abrir o chat',
  nl: 'Chat openen',
  pl: 'Otwórz czat',
  tr: 'Sohbeti aç',
  ar: 'فتح المحادثة',
  ja: 'チャットを開く',
  zh: '打开聊天',
};

/** Undefined for English and for languages that the widget does not speak. */
export function launcherLabel(language: string): { readonly open: string } | undefined {
  const open = LAUNCHER_LABELS[language];
  return open ? { open } : undefined;
}

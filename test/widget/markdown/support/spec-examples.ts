import spec from 'commonmark-spec';

/** An example of the CommonMark specification. */
export interface SpecExample {
  readonly number: number;
  readonly section: string;
  readonly markdown: string;
  readonly html: string;
}

export const specExamples: readonly SpecExample[] = spec.tests.map((example) => ({
  ...example,
  markdown: example.markdown.replaceAll('→', '\t'),
  html: example.html.replaceAll('→', '\t'),
}));

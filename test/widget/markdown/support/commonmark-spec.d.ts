declare module 'commonmark-spec' {
  /** The examples of the CommonMark specification; `→` stands for a tab. */
  const spec: {
    readonly tests: readonly {
      readonly number: number;
      readonly section: string;
      readonly markdown: string;
      readonly html: string;
    }[];
  };
  export default spec;
}

/**
 * Builds the widget: `vite build`.
 * - `dist/assets/widget.js`: the classic script; `markdown.js`, `verification.js`, `labels/` beside it: what it loads when needed
 * - `dist/widget/`: the package's modules, Lit left to the installing project
 */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type EnvironmentOptions, type Plugin } from 'vite';

const TARGET = 'es2022';
const LANGUAGES = readdirSync('widget/labels').map((file) => file.replace(/\.ts$/, ''));

const script: EnvironmentOptions = {
  consumer: 'client',
  build: {
    target: TARGET,
    outDir: 'dist/assets',
    emptyOutDir: true,
    rolldownOptions: {
      input: 'widget/widget-script.ts',
      output: { format: 'iife', entryFileNames: 'widget.js', codeSplitting: false },
    },
  },
};

const labels: EnvironmentOptions = {
  consumer: 'client',
  build: {
    target: TARGET,
    outDir: 'dist/assets/labels',
    emptyOutDir: true,
    rolldownOptions: {
      input: Object.fromEntries(LANGUAGES.map((language) => [language, `widget/labels/${language}.ts`])),
      preserveEntrySignatures: 'exports-only',
      output: { format: 'es', entryFileNames: '[name].js' },
    },
  },
};

const parts: EnvironmentOptions = {
  consumer: 'client',
  build: {
    target: TARGET,
    outDir: 'dist/assets',
    emptyOutDir: false,
    rolldownOptions: {
      input: { markdown: 'widget/markdown/markdown-view.ts', verification: 'widget/views/verification-dialog.ts' },
      preserveEntrySignatures: 'exports-only',
      output: { format: 'es', entryFileNames: '[name].js' },
    },
  },
};

const modules: EnvironmentOptions = {
  consumer: 'client',
  build: {
    target: TARGET,
    outDir: 'dist/widget',
    emptyOutDir: true,
    minify: false,
    rolldownOptions: {
      input: { index: 'widget/index.ts', define: 'widget/define.ts' },
      external: /^lit(\/|$)/,
      preserveEntrySignatures: 'exports-only',
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
    },
  },
};

export default defineConfig({
  publicDir: false,
  logLevel: 'warn',
  environments: { script, parts, labels, modules },
  plugins: [partsFromRelay(), templatesOfParts(), smallSheets(), plainOutput(), gzipSize()],
  builder: {
    async buildApp(builder) {
      for (const name of ['script', 'parts', 'labels', 'modules']) await builder.build(builder.environments[name]!);
    },
  },
});

/** The classic script has no modules beside it on the page's own server: it loads from the relay. */
function partsFromRelay(): Plugin {
  return {
    name: 'parts-from-relay',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'script',
    resolveId: {
      filter: { id: /\/load-parts\.ts$/ },
      handler: () => resolve('widget/load-parts-from-relay.ts'),
    },
  };
}

/** See `widget/views/template-of-part.ts`. */
function templatesOfParts(): Plugin {
  return {
    name: 'templates-of-parts',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'parts',
    resolveId: { filter: { id: /^lit$/ }, handler: () => resolve('widget/views/template-of-part.ts') },
  };
}

/** Takes the comments and the indentation out of the style sheets; the minifier leaves both alone. */
function smallSheets(): Plugin {
  return {
    name: 'small-sheets',
    transform: {
      filter: { id: /-styles\.ts$|\/styles\// },
      handler: (code) => code.replace(/css`([^`]*)`/g, (_, sheet: string) => `css\`${smallSheet(sheet)}\``),
    },
  };
}

function smallSheet(sheet: string): string {
  return sheet
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/\( /g, '(')
    .replace(/ \)/g, ')')
    .replace(/;}/g, '}')
    .replace(/ !important/g, '!important')
    .replace(/([ (,:])0\./g, '$1.')
    .trim();
}

/**
 * A classic script is read in the page's encoding, which may be any: only ASCII is safe. Line breaks with indentation stand
 * only in templates by now, where they mean nothing.
 */
function plainOutput(): Plugin {
  return {
    name: 'plain-output',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        file.code = file.code.replace(/[^\0-\x7f]/g, escapeUnit);
        if (this.environment.name === 'script') file.code = withoutIndentation(file.code);
      }
    },
  };
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function withoutIndentation(code: string): string {
  return code
    .replace(/>\n {2,}/g, '>')
    .replace(/\n {2,}(?=[<>])/g, '')
    .replace(/\n {2,}/g, ' ');
}

function gzipSize(): Plugin {
  return {
    name: 'gzip-size',
    writeBundle(options, bundle) {
      if (!['script', 'parts'].includes(this.environment.name)) return;
      for (const name of Object.keys(bundle)) {
        const size = gzipSync(readFileSync(`${options.dir}/${name}`), { level: 9 }).length;
        console.log(`${options.dir}/${name}: ${size} bytes with gzip`);
      }
    },
  };
}

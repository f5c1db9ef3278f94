import { defineConfig, type Plugin } from 'vite';

/** Once code is minified, only texts have line breaks, and in those of markup they are worth one space. */
const joinedMarkup: Plugin = {
  name: 'joined-markup',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk') file.code = file.code.replace(/\s*\n\s*/g, ' ');
    }
  },
};

export default defineConfig({
  // Chunks and worklets are found beside the script, whatever its address.
  base: './',
  // Also where NODE_ENV says something else: nobody's visitors get a development build.
  resolve: { conditions: ['module', 'browser', 'production'] },
  plugins: [joinedMarkup],
  build: {
    outDir: 'dist/browser',
    // What the styles and the code use as it is; older browsers would need several times the size.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // A worklet as `data:` would need a hole in every site's content security policy.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    lib: { entry: { widget: 'src/widget.ts', react: 'src/react.ts' }, formats: ['es'] },
    rolldownOptions: {
      external: ['react', '@lit/react', '@callkite/widget'],
      // Chunks find what they share in the script itself: a page loads one file before it is touched.
      preserveEntrySignatures: 'allow-extension',
      output: { chunkFileNames: '[name]-[hash].js', minify: true },
    },
  },
  worker: { format: 'es', rolldownOptions: { output: { entryFileNames: '[name]-[hash].js' } } },
});

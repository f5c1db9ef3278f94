/** What only the element itself uses is no part of its description. */
const publicOnly = {
  name: 'public-only',
  packageLinkPhase({ customElementsManifest }) {
    for (const { declarations } of customElementsManifest.modules) {
      for (const declaration of declarations ?? []) {
        declaration.members = declaration.members?.filter(
          ({ name, privacy }) => !['private', 'protected'].includes(privacy) && !name.startsWith('#'),
        );
        declaration.events = declaration.events?.filter(({ name }) => name !== undefined);
      }
    }
  },
};

export default {
  globs: ['src/callkite-widget.ts', 'src/settings.ts'],
  outdir: '.',
  litelement: true,
  // It would write the place of its output into package.json.
  packagejson: false,
  plugins: [publicOnly],
};

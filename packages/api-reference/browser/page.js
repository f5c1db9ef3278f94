// Runs in the browser after Scalar's own script, which defines `Scalar`.
globalThis.Scalar.createApiReference('#reference', {
  url: 'openapi.json',
  // Where this page is, so that samples show an address that works, below a mount path too.
  servers: [{ url: new URL('.', location.href).href.replace(/\/$/, '') }],
  metaData: { title: 'Callkite API' },
  authentication: { preferredSecurityScheme: 'apiKey' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  documentDownloadType: 'json',
  orderSchemaPropertiesBy: 'preserve',
  // The title above the page on a phone is on one line, however long it is.
  customCss: 'span.whitespace-nowrap.flex-1 { min-width: 0; overflow: hidden; text-overflow: ellipsis; }',
  // Nothing leaves for another server: no fonts, no statistics, no links into Scalar's own services.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
});

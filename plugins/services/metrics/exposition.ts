// Writes metrics in the Prometheus text format.
import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Registry from 'prom-client/lib/registry.js'

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** One metric. Names end in their unit; all samples have the same labels. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'gauge' | 'counter'
  readonly samples: readonly Sample[]
}

// Every combination of labels is a series in the scraper, so their number is limited.
const MAX_SAMPLES = 500

/** Returns the text and its content type. A metric without samples is left out. */
export async function writeExposition(
  families: readonly Family[],
): Promise<{ readonly text: string; readonly contentType: string }> {
  const registry = new Registry()
  for (const { name, help, type, samples } of families) {
    const labelNames = Object.keys(samples[0]?.labels ?? {})
    const options = { name, help, labelNames, registers: [registry] }
    const metric = samples.length === 0 ? null : type === 'gauge' ? new Gauge(options) : new Counter(options)
    // A gauge starts at 0, so inc() sets it too.
    for (const { labels = {}, value } of samples.slice(0, MAX_SAMPLES)) metric?.inc(labels, value)
  }
  return { text: await registry.metrics(), contentType: registry.contentType }
}

export const gauge = (name: string, help: string, samples: readonly Sample[] | number): Family => ({
  name,
  help,
  type: 'gauge',
  samples: asSamples(samples),
})
export const counter = (name: string, help: string, samples: readonly Sample[] | number): Family => ({
  name,
  help,
  type: 'counter',
  samples: asSamples(samples),
})

function asSamples(samples: readonly Sample[] | number): readonly Sample[] {
  return (typeof samples === 'number' ? [{ value: samples }] : samples).filter(({ value }) => Number.isFinite(value))
}

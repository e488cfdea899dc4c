import { openSubject, runConformance, tableOf } from '@playhead/sdk/testing/conformance'
const [,, folder, adapter, only] = process.argv
const subject = await openSubject({ folder: folder!, ...(adapter && adapter !== '-' ? { adapter } : {}) })
const start = performance.now()
const report = await runConformance(subject, { ...(only ? { only } : {}) })
for (const line of tableOf(report, { all: process.env.ALL === '1' })) console.log(line)
console.log(Math.round(performance.now() - start), 'ms', report.results.toSorted((a, b) => b.tookMs - a.tookMs).slice(0, 6).map((r) => `${r.id} ${r.tookMs}`).join(', '))
process.exit(0)

// Status of the archive in numbers.
import { type Archive, openProblems } from '../store/archive.ts'
import { all, firstNumber, fragment } from './sql.ts'

export async function statusOf(archive: Archive) {
  try {
    const { reader, facets } = await archive.reading()
    const counted = await facets.counted()
    const sum = (of: (facet: (typeof counted)[number]) => string) => {
      const sums: Record<string, number> = {}
      for (const facet of counted) sums[of(facet)] = (sums[of(facet)] ?? 0) + facet.n
      return sums
    }
    const [times] = await all(
      reader,
      fragment('SELECT (SELECT min(ts) FROM event) AS first, (SELECT max(ts) FROM event) AS last'),
    )
    const { file, log } = await (await archive.database()).size()
    return {
      ok: true,
      available: true,
      events: counted.reduce((total, { n }) => total + n, 0),
      acknowledged: counted.reduce((total, { hidden }) => total + hidden, 0),
      groups: await firstNumber(reader, fragment('SELECT count(*) FROM grp')),
      runs: await firstNumber(reader, fragment('SELECT count(*) FROM run')),
      open_problems: await openProblems(reader),
      first_event: times?.['first'] ?? null,
      last_event: times?.['last'] ?? null,
      last_import: (await firstNumber(reader, fragment("SELECT value FROM meta WHERE name = 'last_import'"))) || null,
      by_type: sum(({ event_type: type }) => type),
      by_domain: sum(({ domain }) => domain),
      size_bytes: file + log,
      dropped: archive.writer.dropped(),
      set_aside: archive.setAside(),
      correlation: archive.regrouping,
    }
  } catch (error) {
    archive.log.error({ err: error }, 'the event archive cannot be read')
    return { ok: false, available: false, events: 0, runs: 0, dropped: archive.writer.dropped() }
  }
}

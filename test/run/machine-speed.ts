// Reports how fast the machine is while the tests run, because processor time of shared machines differs by half from hour to hour.
import { hash } from 'node:crypto'

const ROWS = Array.from({ length: 2_000 }, (_, n) => ({ key: `tmdb:${n}`, title: `Film ${n}`, year: 1950 + (n % 75) }))
const ROUNDS = 12

/** Processor time in seconds of a fixed amount of work of the kinds that tests do: text, objects, sorting and hashes. */
export function timeFixedWork(): number {
  const before = process.cpuUsage()
  let last = ''
  for (let round = 0; round < ROUNDS; round += 1) {
    const rows = JSON.parse(JSON.stringify(ROWS)) as typeof ROWS
    const byKey = new Map(rows.map((row) => [hash('sha1', `${last}${row.key}`), { ...row, round }]))
    last = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))[0]?.[0] ?? ''
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

// slow: command lines that start the service
// `repair` recovers a service that does not start because of a damaged database.
import { existsSync, readdirSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { runCli } from '../../../core/cli/run.ts'
import { clientOf, spawnService } from '../../service/process.ts'

const ACCOUNT = { username: 'ada', password: 'correct horse battery' }

t.setTimeout(900_000)

async function repair(data: string) {
  const lines: string[] = []
  const add = (line: string) => void lines.push(line)
  const code = await runCli(['repair', '--data', data], { variables: {}, print: add, printError: add })
  return { code, text: lines.join('\n') }
}

t.test('a service that cannot start because of a damaged database is repaired', async (t) => {
  const data = join(t.testdir(), 'data')
  const first = await spawnService(data)
  await first.post('/api/app-auth/credentials', { enabled: true, ...ACCOUNT })
  t.match(await repair(data), { code: 1, text: /Another Playhead uses this data directory/ }, 'not while it runs')
  await first.kill('SIGTERM')
  const file = join(data, 'database.sqlite')
  {
    using database = new DatabaseSync(file)
    database.exec('CREATE TABLE core__proof (id INTEGER PRIMARY KEY, text TEXT)')
    const insert = database.prepare('INSERT INTO core__proof (text) VALUES (?)')
    for (let row = 0; row < 500; row += 1) insert.run(`row ${row} ${'x'.repeat(100)}`)
    database.exec('CREATE INDEX core__proof_text ON core__proof (text); PRAGMA wal_checkpoint(TRUNCATE)')
  }
  t.match(await repair(data), { code: 0, text: /database\.sqlite: healthy[\s\S]*Nothing had to be repaired/ })

  const handle = await open(file, 'r+')
  const { pages, size } = pagesOf(file)
  for (const page of pages) await handle.write(Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size)
  await handle.close()
  const broken = await spawnService(data)
  t.equal(broken.url, null)
  const said = broken.lines.filter((line) => line.startsWith('playhead:'))
  t.equal(said.length, 1, broken.lines.join('\n'))
  t.match(said[0], /database\.sqlite.*npm run playhead -- repair/)

  const { code, text } = await repair(data)
  t.match({ code, text }, { code: 0, text: /database\.sqlite: repaired, .*files\/backups\/damaged\// })
  t.match(await repair(data), { code: 1, text: /waits for the next start/ })
  const again = await spawnService(data)
  t.not(again.url, null, again.lines.join('\n'))
  t.equal((await (await clientOf(again, ACCOUNT)).json('/api/config')).status, 200, 'with the same account')
  await again.kill('SIGTERM')
  {
    using database = new DatabaseSync(file)
    t.equal(database.prepare('SELECT count(*) AS n FROM core__proof').get()!['n'], 500)
  }
  t.equal(readdirSync(join(data, 'files/backups/damaged')).filter((name) => name.endsWith('.sqlite')).length, 1)

  await writeFile(file, Buffer.alloc(100_000, 1))
  t.match(await repair(data), { code: 1, text: /nothing can be read of database\.sqlite.*restore a backup/ })
  t.ok(existsSync(file), 'what cannot be repaired stays')
})

/** Pages of the sessions table and of an index. */
function pagesOf(file: string) {
  using database = new DatabaseSync(file, { readOnly: true })
  const size = Number(Object.values(database.prepare('PRAGMA page_size').get()!)[0])
  const found = database
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name IN ('core__sessions', 'core__proof_text')")
    .all()
  return { size, pages: found.map(({ rootpage }) => Number(rootpage)).filter((page) => page > 1) }
}

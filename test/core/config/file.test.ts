import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import t from 'tap'
import type { ConfigDocument } from '../../../core/config/contract.ts'
import { ConfigUnavailableError } from '../../../core/config/contract.ts'
import { openConfig, VERSION } from './support.ts'

const put =
  (key: string, value: unknown) =>
  (draft: ConfigDocument): void => {
    draft[key] = value
  }

const setAside = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((name) => name.includes('.unreadable-'))

t.test('a manual edit is detected within seconds of use, announced and recorded', async (t) => {
  const records: { by: string; paths: readonly string[] }[] = []
  const { config, file, clock } = await openConfig(t, { record: (entry) => records.push(entry) })
  await config.change('test', put('a', 1))
  const noticed = new Promise<readonly string[]>((resolve) => config.onSaved(({ paths }) => resolve(paths)))
  await writeFile(file, JSON.stringify({ version: VERSION, a: 2, b: { c: 1 } }))

  t.equal(config.at('a'), 1, 'not looked at yet')
  clock.nowMs += 5_000
  config.current()

  t.same(await noticed, ['ui', 'a', 'b'])
  t.equal(config.at('a'), 2)
  t.match(records.at(-1), { by: 'file', paths: ['ui', 'a', 'b'] })
})

t.test('a change is applied on top of an undetected manual edit', async (t) => {
  const { config, file } = await openConfig(t)
  await config.change('test', put('a', 1))
  await writeFile(file, JSON.stringify({ version: VERSION, a: 2 }))

  await config.change('test', (draft) => {
    draft['a'] = Number(draft['a']) + 1
  })

  t.match(JSON.parse(await readFile(file, 'utf8')), { a: 3 })
})

for (const [what, text] of [
  ['cut off', '{"version":"1.2.0","ui":{'],
  ['empty', ''],
  ['no object', '[]'],
  ['polluting', '{"__proto__":{"x":1}}'],
  ['wrong where it must not be guessed', '{"app_auth":{"enabled":"no","username":"ada"}}'],
] as const) {
  t.test(`a manual edit that is ${what} is reported, not used, and copied before a save replaces it`, async (t) => {
    const told: string[] = []
    const { config, file, directory } = await openConfig(t, { onCorrupt: (message) => told.push(message) })
    await config.change('test', put('a', 1))
    await writeFile(file, text)

    await config.reload()
    await config.reload()
    t.equal(config.at('a'), 1)
    t.match(config.status(), { available: true, corrupt: true, restoredFromLastGood: false })
    t.equal(told.length, 1)
    t.equal(await readFile(file, 'utf8'), text)

    await config.change('test', put('b', 1))
    t.match(JSON.parse(await readFile(file, 'utf8')), { a: 1, b: 1 })
    t.equal(config.status().corrupt, false)
    const [copy] = await setAside(directory)
    t.equal(await readFile(`${directory}/${copy}`, 'utf8'), text)
  })
}

t.test('an unreadable edit is used after it is corrected', async (t) => {
  const { config, file, directory } = await openConfig(t)
  await config.change('test', put('a', 1))
  await writeFile(file, '{')
  await config.reload()

  await writeFile(file, '{"a":5}')
  await config.reload()

  t.equal(config.at('a'), 5)
  t.match(config.status(), { corrupt: false })
  t.same(await setAside(directory), [])
})

t.test('messages about an unreadable file quote no content', async (t) => {
  const { config, file, log } = await openConfig(t)
  await config.change('test', put('a', 1))
  await writeFile(file, '{"mediaB":{"access_token":"very secret" oops}}')

  await config.reload()

  const said = JSON.stringify(
    log.lines.map(({ text, fields }) => [
      text,
      String((fields['err'] as Error | undefined)?.message),
      String((fields['err'] as Error | undefined)?.stack),
    ]),
  )
  t.match(said, /line 1 column/)
  t.notMatch(said, /very secret/)
})

for (const [what, damage] of [
  ['damaged', (file: string) => writeFile(file, '{"half')],
  ['gone', (file: string) => rm(file)],
] as const) {
  t.test(
    `when the file is ${what} at the start, the last good copy is used, and the file kept until a save`,
    async (t) => {
      const { config, file, directory } = await openConfig(t)
      await config.change('test', put('a', 'kept'))
      await config.change('test', put('token', 'secret'))
      await config.close()
      await damage(file)

      const { config: again } = await openConfig(t, { directory })

      t.match(again.current(), { a: 'kept', token: 'secret' })
      t.match(again.status(), { available: true, restoredFromLastGood: true, corrupt: what === 'damaged' })
      await again.change('test', put('b', 1))
      t.match(JSON.parse(await readFile(file, 'utf8')), { a: 'kept', b: 1 })
      t.equal((await setAside(directory)).length, what === 'damaged' ? 1 : 0)
    },
  )
}

t.test('when neither is readable, nothing is served or written until one is repaired', async (t) => {
  const { config, file, lastGoodFile, directory } = await openConfig(t)
  await config.change('test', put('a', 1))
  await config.close()
  await copyFile(file, `${directory}/good`)
  for (const one of [file, lastGoodFile]) await writeFile(one, 'nonsense')

  const { config: again } = await openConfig(t, { directory })
  t.throws(() => again.current(), ConfigUnavailableError)
  t.throws(() => again.at('a'), ConfigUnavailableError)
  t.throws(() => again.revision(), ConfigUnavailableError)
  t.throws(() => again.masked(), ConfigUnavailableError)
  t.equal(again.secretValues().size, 0, 'the log asks, and must not fail')
  await t.rejects(again.change('test', put('b', 1)), ConfigUnavailableError)
  t.match(again.status(), { available: false, reason: 'unreadable', corrupt: true })
  t.equal(await readFile(file, 'utf8'), 'nonsense')

  await copyFile(`${directory}/good`, file)
  await again.reload()
  t.equal(again.at('a'), 1)
  await again.change('test', put('b', 1))
})

t.test('a missing file with a damaged copy is no first run', async (t) => {
  const { config, file, lastGoodFile, directory } = await openConfig(t)
  await config.change('test', put('a', 1))
  await config.close()
  await rm(file)
  await writeFile(lastGoodFile, 'nonsense')

  const { config: again } = await openConfig(t, { directory })

  t.match(again.status(), { available: false })
  await t.rejects(again.change('test', put('b', 1)), ConfigUnavailableError)
})

t.test('a file that is deleted while the service runs is written again with the next change', async (t) => {
  const { config, file } = await openConfig(t)
  await config.change('test', put('a', 1))
  await rm(file)
  await config.reload()
  t.equal(config.at('a'), 1)

  await config.change('test', put('b', 1))

  t.match(JSON.parse(await readFile(file, 'utf8')), { a: 1, b: 1 })
})

t.test('a value that was copied to another field by hand is not used', async (t) => {
  const { config, file } = await openConfig(t)
  await config.change('test', put('token', 'secret'))
  const document = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  await writeFile(file, JSON.stringify({ ...document, note: document['token'] }))

  await config.reload()

  t.match(config.status(), { corrupt: true })
  t.equal(config.at('note'), undefined)
})

t.test('a limited number of copies of unreadable files is kept', async (t) => {
  const { config, file, directory, clock } = await openConfig(t)
  for (let round = 0; round < 8; round += 1) {
    clock.nowMs += 1_000
    await writeFile(file, `broken ${round}`)
    await config.change('test', put('round', round))
  }

  const copies = await setAside(directory)

  t.equal(copies.length, 5)
  t.equal(await readFile(`${directory}/${copies.toSorted().at(-1)}`, 'utf8'), 'broken 7')
})

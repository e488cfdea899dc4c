import { DatabaseSync } from 'node:sqlite'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import fc, { runsOf } from '../../fast-check.ts'
import t, { type Test } from 'tap'
import type { KeyValueStore } from '@playhead/sdk'
import { storeBelow } from '../../../sdk/provider/profiles/profile-store.ts'
import { openKeyValue } from '../../../core/storage/key-value.ts'
import { createTestLog, temporaryDirectory } from './support.ts'

async function open(t: Test, file = join(temporaryDirectory(t), 'store.sqlite')) {
  const log = createTestLog()
  const database = await openKeyValue(file, { log })
  t.teardown(() => database.close())
  return { ...database, file, log }
}

async function all(entries: AsyncIterable<readonly [string, unknown]>): Promise<[string, unknown][]> {
  const list: [string, unknown][] = []
  for await (const [key, value] of entries) list.push([key, value])
  return list
}

t.test('values are returned as stored, also after closing', async (t) => {
  const first = await open(t)
  const value = { list: [1, 'two', null, { three: true }], text: ':base64:abc', other: ':bigint:1', empty: '' }

  await first.namespace('hello').set('a', value)
  await first.close()
  const again = (await open(t, first.file)).namespace('hello')

  t.strictSame(await again.get('a'), value)
  t.equal(await again.has('a'), true)
  t.equal(await again.get('b'), undefined)
  t.equal(await again.has('b'), false)
  t.equal(await again.delete('a'), true)
  t.equal(await again.delete('a'), false)
})

t.test('namespaces are isolated, for any key names', async (t) => {
  const store = await open(t)
  const names = ['a', 'ab', 'a-b', 'hello']
  const keys = fc.oneof(
    fc.constantFrom('', 'x', 'a:x', 'ab:x', 'hello:x', ':', '=x', 'a:a:x'),
    fc.string({ maxLength: 20 }),
  )
  const commands = fc.array(
    fc.record({
      name: fc.constantFrom(...names),
      key: keys,
      does: fc.constantFrom('set', 'setMany', 'delete', 'clear'),
      value: fc.integer(),
    }),
    { maxLength: 30 },
  )

  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      const expected = new Map(names.map((name) => [name, new Map<string, number>()]))
      for (const name of names) await store.namespace(name).clear()
      for (const { name, key, does, value } of list) {
        const space = store.namespace(name)
        const model = expected.get(name) as Map<string, number>
        if (does === 'set') {
          await space.set(key, value)
          model.set(key, value)
        } else if (does === 'setMany') {
          const many = new Map([
            [key, value],
            [`${key}:`, value + 1],
            ['x', value + 2],
          ])
          await space.setMany(many)
          for (const [each, of] of many) model.set(each, of)
        } else if (does === 'delete') {
          t.equal(await space.delete(key), model.delete(key))
        } else {
          await space.clear()
          model.clear()
        }
      }
      for (const name of names) {
        const found = new Map(await all(store.namespace(name).entries()))
        if (
          found.size !== expected.get(name)?.size ||
          ![...found].every(([key, value]) => expected.get(name)?.get(key) === value)
        )
          return false
      }
      return true
    }),
    { numRuns: runsOf(40) },
  )
})

t.test('all entries are returned, also beyond the batch size', async (t) => {
  const space = (await open(t)).namespace('hello')
  for (let index = 0; index < 250; index += 1) await space.set(`key ${index}`, index)

  const found = await all(space.entries())

  t.equal(found.length, 250)
  t.equal(new Set(found.map(([key]) => key)).size, 250)
})

t.test('a write beyond the quota fails and changes nothing; freeing space allows it', async (t) => {
  const space = (await open(t)).namespace('hello', { quotaBytes: 1_000 })
  await space.set('a', 'x'.repeat(400))
  await space.set('b', 'y'.repeat(400))

  await t.rejects(space.set('c', 'z'.repeat(400)), { code: 'PLH_QUOTA', message: /may store 1000 bytes/ })
  await t.rejects(space.set('a', 'x'.repeat(800)), { code: 'PLH_QUOTA' })
  t.equal(await space.get('c'), undefined)
  t.equal(await space.get('a'), 'x'.repeat(400))

  await space.set('a', 'x'.repeat(450))
  await space.delete('b')
  await space.set('c', 'z'.repeat(400))
})

t.test("several values at once are stored all or none, here and in a part of a plugin's storage", async (t) => {
  const stores: Record<string, KeyValueStore> = {
    service: (await open(t)).namespace('hello', { quotaBytes: 1_000 }),
    part: storeBelow((await open(t)).namespace('hello', { quotaBytes: 1_000 }), 'own/'),
  }
  for (const [name, store] of Object.entries(stores)) {
    await store.setMany(
      new Map([
        ['a', 'x'.repeat(300)],
        ['b', 'y'.repeat(300)],
      ]),
    )
    await t.rejects(
      store.setMany(
        new Map([
          ['b', 'new'],
          ['c', 'z'.repeat(300)],
          ['d', 'z'.repeat(400)],
        ]),
      ),
      { code: 'PLH_QUOTA' },
      name,
    )
    await t.rejects(
      store.setMany(
        new Map([
          ['b', 'new'],
          ['c', undefined],
        ]),
      ),
      TypeError,
      name,
    )
    await t.rejects(
      store.setMany(new Map(Array.from({ length: 201 }, (_, index) => [`k${index}`, 1]))),
      TypeError,
      name,
    )
    t.same(
      (await all(store.entries())).sort(),
      [
        ['a', 'x'.repeat(300)],
        ['b', 'y'.repeat(300)],
      ],
      name,
    )
    // Replacing a value frees its space.
    await store.setMany(
      new Map([
        ['a', 'x'.repeat(500)],
        ['b', 'y'.repeat(400)],
      ]),
      60_000,
    )
    await store.setMany(new Map())
    t.equal(await store.get('a'), 'x'.repeat(500), name)
    await store.setMany(
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      10,
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
    t.same(await all(store.entries()), [], name)
    // Expired values free their space, also for the same key.
    await store.setMany(new Map([['a', 'x'.repeat(900)]]))
    t.equal(await store.get('a'), 'x'.repeat(900), name)
  }
})

t.test('concurrent writers cannot use the same free space', async (t) => {
  const store = await open(t)
  const spaces = [store.namespace('hello', { quotaBytes: 1_000 }), store.namespace('hello', { quotaBytes: 1_000 })]

  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) => spaces[index % 2]?.set(`k${index}`, 'x'.repeat(300))),
  )

  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
})

t.test('the quota counts bytes, is per namespace, and survives a restart', async (t) => {
  const first = await open(t)
  await first.namespace('hello', { quotaBytes: 1_000 }).set('a', 'ü'.repeat(300))
  await first.namespace('other', { quotaBytes: 1_000 }).set('a', 'x'.repeat(600))
  await first.close()

  const again = await open(t, first.file)

  await t.rejects(again.namespace('hello', { quotaBytes: 1_000 }).set('b', 'ü'.repeat(200)), { code: 'PLH_QUOTA' })
})

t.test('opening writes nothing, and takes over a file that held its counts', async (t) => {
  const first = await open(t)
  await first.namespace('hello').set('a', 'x'.repeat(600))
  await first.close()
  const file = new DatabaseSync(first.file)
  const counted =
    "SELECT name FROM sqlite_schema WHERE name LIKE 'entries\\__%' ESCAPE '\\' AND type = 'trigger' OR name = 'usage'"
  t.same(file.prepare(counted).all(), [], 'the counts belong to the process')
  // As Playhead 0.1.0 had it.
  file.exec(`CREATE TABLE usage (namespace TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO usage VALUES ('hello', 5);
    CREATE TRIGGER entries_added AFTER INSERT ON entries BEGIN UPDATE usage SET bytes = bytes + 1; END`)
  file.close()

  const taken = await open(t, first.file)
  const store = taken.namespace('hello', { quotaBytes: 1_000 })
  await t.rejects(store.set('b', 'x'.repeat(500)), { code: 'PLH_QUOTA' })
  await store.set('b', 'x'.repeat(100))
  await taken.close()

  const again = await open(t, first.file)
  t.equal((await stat(`${first.file}-wal`)).size, 0, 'nothing is written')
  t.equal(await again.namespace('hello').get('b'), 'x'.repeat(100))
  const left = new DatabaseSync(first.file, { readOnly: true })
  t.teardown(() => left.close())
  t.same(left.prepare(counted).all(), [])
})

t.test('entries expire with their time to live, and no longer count', async (t) => {
  const first = await open(t)
  const space = first.namespace('hello', { quotaBytes: 1_000 })
  await space.set('short', 'x'.repeat(600), 20)
  await space.set('long', 'kept', 60_000)

  await new Promise((resolve) => setTimeout(resolve, 30))
  t.equal(await space.has('short'), false)
  await space.set('next', 'y'.repeat(600))
  t.same((await all(space.entries())).map(([key]) => key).sort(), ['long', 'next'])
  await space.set('next', 'y'.repeat(600), 20)
  await new Promise((resolve) => setTimeout(resolve, 30))
  await first.close()
  await (await open(t, first.file)).close()

  const database = new DatabaseSync(first.file)
  t.teardown(() => database.close())
  t.match(
    database.prepare('SELECT key FROM entries').all(),
    [{ key: '=long' }],
    'the expired entry was purged when the storage was opened',
  )
})

t.test('an unreadable value is an error, not an absent value', async (t) => {
  const { namespace, file, log } = await open(t)
  const space = namespace('hello')
  await space.set('a', 1)
  const database = new DatabaseSync(file)
  t.teardown(() => database.close())
  database.exec('UPDATE entries SET value = \'{"value":\'')

  await t.rejects(space.get('a'))
  await t.rejects(all(space.entries()))

  database.exec('ALTER TABLE entries RENAME TO gone')
  await t.rejects(space.get('a'))
  await t.rejects(space.has('a'))
  await t.rejects(space.set('b', 1))
  await t.rejects(space.delete('a'))
  t.ok(log.lines.some(({ level, text }) => level === 'error' && text === 'key-value storage failed'))
})

t.test('invalid names and values are refused at once', async (t) => {
  const { namespace } = await open(t)
  const space = namespace('hello')

  t.throws(() => namespace('Hello:x'), TypeError)
  await t.rejects(space.set('a', undefined), TypeError)
  await t.rejects(space.set('a', 1, 0), TypeError)
  await t.rejects(space.set('x'.repeat(600), 1), TypeError)
})

// Plugins of the directory use only the published SDK, and each is a complete package of its own.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { DIRECTORY, importsOf, packages, problemsOf } from './rules.ts'

t.test('each plugin of the directory follows the rules', async (t) => {
  const folders = await packages()
  t.ok(folders.length > 0)
  for (const folder of folders) t.same(await problemsOf(folder), [], folder)
})

/** A copy of the first plugin, with one file changed. */
async function changed(t: Test, file: string, change: (text: string) => string): Promise<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), 'playhead-directory-'))
  t.teardown(() => rm(root, { recursive: true, force: true }))
  const folder = join(root, 'kodi')
  await cp(join(DIRECTORY, 'kodi'), folder, { recursive: true })
  const path = join(folder, file)
  await writeFile(path, change(await readFile(path, 'utf8')))
  return problemsOf(folder)
}

t.test('another import is found, however it is written', async (t) => {
  for (const [line, name] of [
    [`import { startPlayhead } from '../../../core/main.ts'`, '../../../core/main.ts'],
    [`export * from "@playhead/sdk/host"`, '@playhead/sdk/host'],
    [`import type { Host } from '@playhead/sdk/host'`, '@playhead/sdk/host'],
    [`const other = await import('@sinclair/typebox/value')`, '@sinclair/typebox/value'],
    [`import 'node:fs'`, 'node:fs'],
    [`import { startServer } from '@playhead/sdk/testing'`, '@playhead/sdk/testing'],
    [`const tap = require('tap')`, 'tap'],
    [`await import(name)`, '(computed)'],
  ] as const)
    t.same(await changed(t, 'rpc.ts', (text) => `${line}\n${text}`), [`rpc.ts imports ${name}`], line)
  t.same(importsOf(`// Imports come from the SDK.\nconst from = 'here'\n`), [])
})

t.test('a package that does not fit is found', async (t) => {
  const json = (edit: (value: any) => void) => (text: string) => {
    const value = JSON.parse(text)
    edit(value)
    return JSON.stringify(value)
  }
  for (const [file, edit, problem] of [
    ['plugin.json', (one: any) => void (one.version = '0.2.0'), /version 0\.1\.0, plugin\.json 0\.2\.0/],
    ['plugin.json', (one: any) => void (one.api = '^2.0.0'), /needs SDK \^2\.0\.0/],
    ['plugin.json', (one: any) => void (one.isolation = 'none'), /thread of the service/],
    ['plugin.json', (one: any) => void one.provides.push('provider:MEDIAB'), /jellyfin provides provider:MEDIAB/],
    ['package.json', (one: any) => void (one.dependencies = { left: '1.0.0' }), /dependencies beside the SDK/],
    ['package.json', (one: any) => void (one.scripts.postinstall = 'node x'), /"postinstall" would run/],
    ['package.json', (one: any) => void delete one.license, /no licence/],
    ['package.json', (one: any) => void (one.peerDependencies = {}), /range of the SDK/],
  ] as const)
    t.match((await changed(t, file, json(edit))).join('\n'), problem, String(problem))
})

t.test('a missing file is named', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'playhead-directory-'))
  t.teardown(() => rm(root, { recursive: true, force: true }))
  await cp(join(DIRECTORY, 'kodi'), join(root, 'kodi'), { recursive: true })
  await rm(join(root, 'kodi', 'LICENSE'))
  t.same(await problemsOf(join(root, 'kodi')), ['LICENSE is missing'])
})

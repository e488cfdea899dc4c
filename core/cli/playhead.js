#!/usr/bin/env node
// The program `playhead`. JavaScript, so that any Node can start it: one that is too old hands over to the Node that
// `npm ci` installed beside Playhead.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const NEEDED = 26

if (Number.parseInt(process.versions.node, 10) >= NEEDED) void run()
else handOver()

async function run() {
  const { findBuilt } = await import('../built.js')
  // Commands for authors run a plugin's tests, which import the SDK from its sources: there must be one SDK.
  const built = process.argv.includes('plugin') ? null : findBuilt(join(import.meta.dirname, '..', '..'))
  process.setSourceMapsEnabled(true)
  await import(
    built !== null && 'folder' in built ? pathToFileURL(join(built.folder, 'cli', 'index.js')).href : './index.ts'
  )
}

function handOver() {
  const here = dirname(fileURLToPath(import.meta.url))
  const root = join(here, '..', '..')
  const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(node)) {
    console.error(
      `playhead: Playhead needs Node ${NEEDED} or later, and this is ${process.version}. Run "npm ci" in ${root}, which brings it, ` +
        'or install it from https://nodejs.org.',
    )
    process.exitCode = 1
    return
  }
  const child = spawn(node, [join(here, 'playhead.js'), ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends its signals to both; others only know this process. The end of the child decides.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1)
  })
}

// Applies a restore as a start of the service does, in a process that is killed before one of its file changes. node
// switch-start.ts <data directory> confirm|give-up|stage <changes before the kill>
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const [root = '', mode = '', kill = ''] = process.argv.slice(2)
let left = Number(kill)
for (const name of ['rename', 'rm', 'mkdir'] as const) {
  const change = fs[name] as (...given: unknown[]) => Promise<unknown>
  Object.assign(fs, {
    [name](...given: unknown[]) {
      if (left === 0) process.kill(process.pid, 'SIGKILL')
      left -= 1
      return change(...given)
    },
  })
}
syncBuiltinESMExports()
const { stageSwitch, switchRestored } = await import('../../../core/data/switch.ts')
if (mode === 'stage') {
  const plan = JSON.parse(await fs.readFile(join(root, 'run', 'plan.json'), 'utf8'))
  await stageSwitch(root, join(root, 'run', 'unpacked'), plan)
} else {
  const restored = await switchRestored(root, Date.now)
  if (mode === 'confirm') await restored.confirm()
  else await restored.giveUp('the data cannot be used')
}

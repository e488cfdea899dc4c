// The flags of `npm start` and the environment that it gives itself, so that what is measured is what people run.
import { readFileSync } from 'node:fs'
import { MALLOC_SETTINGS } from '../../core/malloc.js'

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } }

export const START_FLAGS: readonly string[] = scripts.start.split(' ').filter((word) => word.startsWith('--'))

export const START_ENVIRONMENT: NodeJS.ProcessEnv = { ...process.env, ...MALLOC_SETTINGS }

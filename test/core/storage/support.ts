// A recording log, and temporary directories.
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Logger } from '@playhead/sdk'

export interface TestLog extends Logger {
  readonly lines: { level: string; text: string; fields: Record<string, unknown> }[]
}

export function createTestLog(): TestLog {
  const lines: TestLog['lines'] = []
  const at =
    (level: string) =>
    (fields: object | string, text?: string): void => {
      lines.push(
        typeof fields === 'string'
          ? { level, text: fields, fields: {} }
          : { level, text: text ?? '', fields: fields as Record<string, unknown> },
      )
    }
  const log: TestLog = {
    lines,
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    channel: () => log,
  }
  return log
}

export function temporaryDirectory(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'playhead-test-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  return directory
}

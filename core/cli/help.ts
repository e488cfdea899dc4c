import type { Command } from './command.ts'

const CALL = 'npm run playhead --'

/** @param group only the commands that begin with this word */
export function listCommands(commands: readonly Command[], group?: string): string {
  const shown = group === undefined ? commands : commands.filter(({ name }) => name.startsWith(`${group} `))
  const width = Math.max(...shown.map(({ name }) => name.length))
  return [
    `Usage: ${CALL} ${group ?? '<command>'}${group === undefined ? '' : ' <command>'}`,
    '',
    ...shown.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    ...(group === undefined ? [`  ${'help'.padEnd(width)}  explains a command: ${CALL} help plugin new`] : []),
    '',
    'Every command takes --data <folder>: the data directory, instead of the one that PLAYHEAD_DATA_DIR names (./data by default).',
  ].join('\n')
}

export function describeCommand({ name, usage, summary, help }: Command): string {
  return [
    `Usage: ${`${CALL} ${name} ${usage}`.trimEnd()}`,
    '',
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    '',
    help.replace(/^\n/, ''),
  ].join('\n')
}

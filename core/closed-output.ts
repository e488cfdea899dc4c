// What reads our output may end before us, as in `playhead plugin list | head`. What would be written then is for no reader: it is dropped,
// and what is under way ends as it would have.
export function surviveClosedOutput(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}

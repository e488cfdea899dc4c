// The reader of our output may end first, as in `playhead plugin list | head`. The rest of the output is dropped then,
// and the work ends as it would have.
export function surviveClosedOutput(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}

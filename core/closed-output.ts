// The reader of stdout may close first, as in `playhead plugin list | head`. Further output is dropped.
export function surviveClosedOutput(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}

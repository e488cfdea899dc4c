// Names for new jobs and rules.
/** An id that no other entry has: "job_3". */
export function freeId(stem: string, entries: readonly { readonly id: string }[]): string {
  for (let n = entries.length + 1; ; n += 1) {
    const id = `${stem}_${n}`
    if (entries.every((one) => one.id !== id)) return id
  }
}

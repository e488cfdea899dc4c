// A promise with a limit. The timer is always cleared: a forgotten one would keep a whole generation in memory.
export async function withTimeLimit<Result>(work: Promise<Result>, limitMs: number, onLimit: () => Error): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(onLimit()), limitMs)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

// Reads a stream one step ahead.

/**
 * The values of a stream. The next one is requested before a value is used, for streams whose values another thread or a
 * service makes. An error of the stream is thrown after the values before it were used.
 *
 * @example for await (const page of ahead(library.mergedItems(query))) store(page)
 */
export async function* ahead<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
  const iterator = values[Symbol.asyncIterator]()
  const request = () => {
    const step = iterator.next()
    // Thrown when it is its turn.
    step.catch(() => {})
    return step
  }
  let isDone = false
  try {
    for (let step = request(); ; ) {
      const { done, value } = await step
      if (done === true) {
        isDone = true
        return
      }
      step = request()
      yield value
    }
  } finally {
    if (!isDone) await iterator.return?.()
  }
}

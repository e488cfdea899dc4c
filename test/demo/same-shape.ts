// Whether two examples have the same shape: times, ids and numbers differ between runs, members and types do not.

/** null matches everything, an empty list matches every list, and the members of all elements of a list are merged. */
export function hasSameShape(one: unknown, other: unknown): boolean {
  if (one === null || other === null) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === 0 || other.length === 0 || hasSameShape(merged(one), merged(other))
  if (typeof one !== 'object' || typeof other !== 'object') return typeof one === typeof other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        name in other && hasSameShape((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
    )
  )
}

function merged(elements: readonly unknown[]): unknown {
  return elements.every((each) => typeof each === 'object' && each !== null && !Array.isArray(each))
    ? Object.assign({}, ...(elements as object[]))
    : elements[0]
}

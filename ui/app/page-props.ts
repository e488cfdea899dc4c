// The properties that the router gives to each page.
export interface PageProps {
  /** The matching pattern of `paths.ts`. */
  readonly path: string
  /** The decoded parameters of the pattern. */
  readonly params: Readonly<Record<string, string>>
}

// Answers that are sent as they are.
/**
 * For a route whose `response` schema describes the answer in /openapi.json and is not applied to it: nothing is cut
 * off, and a long answer costs no more than its text.
 *
 * @example app.get('/api/things', { ...asItIs, schema: { response: { 200: Things } } }, () => things())
 */
export const asItIs = {
  serializerCompiler:
    () =>
    (answer: unknown): string =>
      JSON.stringify(answer),
}

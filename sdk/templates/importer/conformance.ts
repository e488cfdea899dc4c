// For `plugin test` and `plugin check`: a file as the service exports it. Texts by the names of their files.
export default {
  'export.csv': 'Film title,Released in,TMDB,Watched\n"One, or two",1999,1,2026-01-02\nThree,,3,\n,,,\n',
}

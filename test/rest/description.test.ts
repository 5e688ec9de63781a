import assert from 'node:assert/strict';
import library from 'express-openapi-validator/dist/framework/openapi.schema.validator.js';
import { findChecker } from '../../lib/api/requests/check-syntax.js';
import { readConsoleDescription } from '../../lib/console/console-description.js';
import { describeOnePath, readDescription } from '../../lib/api/requests/description.js';

describe('The description of a path, as the validator gets it', () => {
  const descriptions = { REST: readDescription('openapi.yaml'), 'the console': readConsoleDescription() };
  for (const [name, description] of Object.entries(descriptions)) {
    it(`has the target of each reference in its place, for all paths of ${name}`, () => {
      const paths = Object.keys(description.document.paths);
      assert.ok(paths.length > 20, `${paths.length} paths`);
      for (const path of paths) {
        const { components, paths: described } = describeOnePath(description, path, true);
        assert.deepEqual(components, {});
        assert.doesNotMatch(JSON.stringify(described), /"\$ref":/, path);
      }
    });
  }

  it('is not compared with OpenAPI’s own schema, which would be compiled for each path', () => {
    assert.ok(findChecker(readDescription('openapi.yaml'), false));
    const checked = new library.OpenAPISchemaValidator({ version: '3.1.0', validateApiSpec: false });
    assert.deepEqual(checked.validate({} as Parameters<typeof checked.validate>[0]).errors, []);
  });
});

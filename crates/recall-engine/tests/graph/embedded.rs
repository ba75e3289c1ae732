//! The graph of texts that hold code, and of what configuration names by addresses.

use recall_core::Relation;

use super::{edges, request};
use crate::support::Sandbox;

/// Checks the edges around nodes of a project.
fn check_all(files: &[(&str, &str)], cases: &[(&str, &[Relation], &[&str])]) {
    let sandbox = Sandbox::with(files);
    let engine = sandbox.engine();
    for (node, relations, expected) in cases {
        let graph = engine
            .graph(&sandbox.origin(), &request(node, relations))
            .unwrap_or_else(|error| panic!("{node}: {error}"));
        assert_eq!(edges(&graph), *expected, "{node}");
    }
    engine.close();
}

const REFERENCES: &[Relation] = &[Relation::References];

#[test]
fn components_import_define_and_use() {
    check_all(
        &[
            ("src/api.ts", "export async function fetchHeron(id: number) {\n  return id\n}\n"),
            (
                "src/NestCard.vue",
                "<template>\n  <p @click=\"openNest(1)\">x</p>\n</template>\n\n<script setup lang=\"ts\">\nimport { fetchHeron } from \
                 './api'\nfunction openNest(id: number) {\n  fetchHeron(id)\n}\n</script>\n",
            ),
            (
                "src/Pond.svelte",
                "<script>\n  import NestCard from './NestCard.vue'\n  import { fetchHeron } from './api'\n</script>\n\n<NestCard \
                 onclick={() => fetchHeron(2)} />\n",
            ),
            (
                "src/page.astro",
                "---\nimport { fetchHeron } from './api'\nconst row = await fetchHeron(3)\n---\n<p>{row}</p>\n",
            ),
        ],
        &[
            (
                "fetchHeron",
                REFERENCES,
                &[
                    // The import is outside of its functions.
                    "src/NestCard.vue#NestCard references src/api.ts#fetchHeron",
                    "src/NestCard.vue#openNest references src/api.ts#fetchHeron",
                    "src/Pond.svelte#Pond references src/api.ts#fetchHeron",
                    "src/page.astro#row references src/api.ts#fetchHeron",
                ],
            ),
            (
                "src/api.ts",
                &[Relation::ImportedBy],
                &[
                    "src/NestCard.vue imports src/api.ts",
                    "src/Pond.svelte imports src/api.ts",
                    "src/page.astro imports src/api.ts",
                ],
            ),
            ("openNest", &[Relation::Defines], &["src/NestCard.vue defines src/NestCard.vue#openNest"]),
            (
                "NestCard",
                REFERENCES,
                &[
                    "src/NestCard.vue#NestCard references src/api.ts#fetchHeron",
                    "src/Pond.svelte#Pond references src/NestCard.vue#NestCard",
                ],
            ),
        ],
    );
}

#[test]
fn templates_include_each_other_and_call_helpers() {
    check_all(
        &[
            ("templates/base.html", "<html>{% block main %}{% endblock %}</html>\n"),
            (
                "templates/nests/list.html",
                "{% extends 'base.html' %}\n{% block main %}{{ format_heron(x) }}{% endblock %}\n",
            ),
            ("app/helpers.py", "def format_heron(x):\n    return x\n"),
            ("app/views/shared/_pond.html.erb", "<%= heron_path nest %>\n"),
            ("app/views/nests/show.html.erb", "<%= render \"shared/pond\" %>\n"),
            ("app/helpers/heron_helper.rb", "module HeronHelper\n  def heron_path(nest)\n    nest\n  end\nend\n"),
            ("resources/views/layouts/app.blade.php", "<html>@yield('main')</html>\n"),
            ("resources/views/pond.blade.php", "@extends('layouts.app')\n"),
        ],
        &[
            (
                "templates/base.html",
                &[Relation::ImportedBy],
                &["templates/nests/list.html imports templates/base.html"],
            ),
            (
                "app/views/shared/_pond.html.erb",
                &[Relation::ImportedBy],
                &["app/views/nests/show.html.erb imports app/views/shared/_pond.html.erb"],
            ),
            (
                "resources/views/layouts/app.blade.php",
                &[Relation::ImportedBy],
                &["resources/views/pond.blade.php imports resources/views/layouts/app.blade.php"],
            ),
            ("format_heron", REFERENCES, &["templates/nests/list.html references app/helpers.py#format_heron"]),
            (
                "heron_path",
                REFERENCES,
                &["app/views/shared/_pond.html.erb references app/helpers/heron_helper.rb#HeronHelper::heron_path"],
            ),
        ],
    );
}

#[test]
fn the_cells_of_a_notebook_define_and_use() {
    let notebook = "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"from herons import count_herons\\n\", \
                    \"def total(pond):\\n\", \"    return count_herons(pond)\"]}], \"nbformat\": 4}";
    check_all(
        &[("herons.py", "def count_herons(pond):\n    return 1\n"), ("study.ipynb", notebook)],
        &[
            ("count_herons", REFERENCES, &["study.ipynb#total references herons.py#count_herons"]),
            ("herons.py", &[Relation::ImportedBy], &["study.ipynb imports herons.py"]),
        ],
    );
}

#[test]
fn terraform_is_named_by_addresses() {
    check_all(
        &[
            (
                "main.tf",
                "resource \"aws_vpc\" \"this\" {\n  cidr_block = var.range\n}\n\nresource \"aws_subnet\" \"this\" {\n  vpc_id = aws_vpc.this.id\n}\n",
            ),
            ("inputs.tf", "variable \"range\" {}\n\nlocals {\n  range = var.range\n}\n"),
            (
                "pond/main.tf",
                "resource \"aws_vpc\" \"this\" {}\n\nmodule \"nest\" {\n  source = \"./nest\"\n  vpc = aws_vpc.this.id\n}\n",
            ),
            ("pond/nest/main.tf", "variable \"vpc\" {}\n"),
        ],
        &[
            ("aws_subnet.this", REFERENCES, &["main.tf#aws_subnet::this references main.tf#aws_vpc::this"]),
            (
                "var.range",
                REFERENCES,
                &[
                    "inputs.tf#local::range references inputs.tf#var::range",
                    "main.tf#aws_vpc::this references inputs.tf#var::range",
                ],
            ),
            ("module.nest", REFERENCES, &["pond/main.tf#module::nest references pond/main.tf#aws_vpc::this"]),
            ("pond/nest/main.tf", &[Relation::ImportedBy], &["pond/main.tf imports pond/nest/main.tf"]),
        ],
    );
}

#[test]
fn kubernetes_objects_are_named_by_kind_and_name() {
    check_all(
        &[
            (
                "deploy/web.yaml",
                "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    metadata:\n      labels: {app: \
                 web}\n    spec:\n      containers:\n      - envFrom:\n        - configMapRef: {name: web-settings}\n---\napiVersion: \
                 v1\nkind: ConfigMap\nmetadata:\n  name: web-settings\n",
            ),
            (
                "deploy/service.yaml",
                "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  selector:\n    app: web\n",
            ),
        ],
        &[
            (
                "Deployment/web",
                REFERENCES,
                &[
                    "deploy/web.yaml#Deployment::web references deploy/web.yaml#ConfigMap::web-settings",
                    "deploy/service.yaml#Service::web references deploy/web.yaml#Deployment::web",
                ],
            ),
            (
                "ConfigMap/web-settings",
                REFERENCES,
                &["deploy/web.yaml#Deployment::web references deploy/web.yaml#ConfigMap::web-settings"],
            ),
        ],
    );
}

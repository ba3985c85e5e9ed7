"""Names of the container images the graph refers to. Set them to digests for a cluster, so that KFP's cache is
right: its key holds the image's name, not its content."""

import os
from importlib import metadata

try:
    VERSION = metadata.version("or1-pipelines")
except metadata.PackageNotFoundError:  # a source tree that is not installed
    VERSION = "source"

DATA_IMAGE = os.environ.get("OR1_DATA_IMAGE", f"or1-pipelines/data-python:{VERSION}")
TRAIN_IMAGE = os.environ.get("OR1_TRAIN_IMAGE", f"or1-pipelines/train-python:{VERSION}")
